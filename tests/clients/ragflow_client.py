"""RAGFlow's SDK runs the table workflow unchanged: datasets, files, parses, rows, chats in Chinese and English, citations."""

from ragflow_sdk import RAGFlow
from service import fixture, served


def refused(call):
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("it was not refused")


def datasets(rag):
    made = rag.create_dataset(name="草稿", description="d", chunk_method="table")
    assert rag.create_dataset(name="草稿").name == "草稿(1)"
    made.update({"name": "新名"})
    assert rag.get_dataset(name="新名").id == made.id
    assert [one.name for one in rag.list_datasets(page=1, page_size=1)] == ["草稿(1)"]
    assert "lacks permission" in refused(lambda: rag.list_datasets(name="没有"))
    rag.delete_datasets()
    assert rag.list_datasets() == []


def files(rag):
    dataset = rag.create_dataset(name="销售", chunk_method="table")
    blobs = [{"display_name": name, "blob": fixture(name)} for name in ("销售台账.xlsx", "orders.csv", "库存.ods", "人员.xls")]
    documents = dataset.upload_documents(blobs)
    assert [one.run for one in documents] == ["UNSTART"] * 4
    finished = dataset.parse_documents([one.id for one in documents])
    assert {state for _, state, _, _ in finished} == {"DONE"}, finished
    book = dataset.list_documents(keywords="台账")[0]
    assert book.progress == 1.0 and "Task done" in book.progress_msg and book.chunk_count == 120
    assert book.download() == fixture("销售台账.xlsx")
    rows = [row for page in (1, 2, 3) for row in book.list_chunks(page=page, page_size=50)]
    assert len({row.id for row in rows}) == 120 and "部门:" in rows[0].content
    assert book.list_chunks(id=rows[7].id)[0].content == rows[7].content
    texts(book, rows)
    book.update({"name": "台账.xlsx", "meta_fields": {"year": 2024}})
    assert dataset.list_documents(id=book.id)[0].name == "台账.xlsx"
    book.update({"name": "销售台账.xlsx"})
    return dataset, documents


def texts(book, rows):
    added = book.add_chunk("华南销售部自 2024 年起由李雷负责", important_keywords=["负责人"], questions=["谁负责华南销售部"])
    assert added.content == "华南销售部自 2024 年起由李雷负责" and added.questions == ["谁负责华南销售部"]
    added.update({"content": "华南销售部由韩梅梅负责", "available": True})
    kept = book.list_chunks(id=added.id)[0]
    assert kept.content == "华南销售部由韩梅梅负责" and kept.important_keywords == ["负责人"], kept.content
    assert len(book.list_chunks(page=3, page_size=50)) == 21
    found = book.rag.retrieve(dataset_ids=[book.dataset_id], question="韩梅梅负责")
    assert found[0].id == added.id, found[0].content
    assert "the file is the source" in refused(lambda: rows[7].update({"content": "x"}))
    assert "the file is the source" in refused(lambda: book.delete_chunks([rows[7].id]))
    book.delete_chunks([added.id])
    assert len(book.list_chunks(page=3, page_size=50)) == 20


def asked(session, question, stream):
    messages = list(session.ask(question, stream=stream))
    return messages[-1]


def chats(rag, dataset):
    assistant = rag.create_chat("销售助手", dataset_ids=[dataset.id])
    assert rag.list_chats(name="销售助手")[0].id == assistant.id
    session = assistant.create_session("一")
    for stream in (True, False):
        message = asked(session, "各部门的销售额合计，从高到低", stream)
        assert "390,483.63" in message.content and "[ID:0]" in message.content, message.content
        assert message.reference[0]["document_name"] == "销售台账.xlsx", message.reference[0]
        message = asked(session, "What is the total amount by customer in orders?", stream)
        assert message.reference[0]["document_name"] == "orders.csv", message.content
    kept = assistant.list_sessions(id=session.id)[0]
    assert [turn["role"] for turn in kept.messages].count("user") == 4
    session.update({"name": "二"})
    assistant.update({"name": "助手"})
    found = rag.retrieve(dataset_ids=[dataset.id], question="华南销售部")
    assert found and "华南销售部" in found[0].content
    assistant.delete_sessions([session.id])
    assert assistant.list_sessions() == []
    rag.delete_chats([assistant.id])


def main():
    with served() as (base, key):
        assert "API key is invalid" in refused(RAGFlow("wrong", base).list_datasets)
        rag = RAGFlow(key, base)
        datasets(rag)
        dataset, documents = files(rag)
        chats(rag, dataset)
        dataset.delete_documents([one.id for one in documents[:1]])
        assert len(dataset.list_documents()) == 3
        rag.delete_datasets([dataset.id])
        assert rag.list_datasets() == []
    print("ragflow-sdk: all passed")


main()
