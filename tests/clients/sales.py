"""A chat over the sales book, made as any client would make it."""

from ragflow_sdk import RAGFlow
from service import fixture


def prepared(base, key):
    rag = RAGFlow(key, base)
    dataset = rag.create_dataset(name="sales", chunk_method="table")
    documents = dataset.upload_documents([{"display_name": "销售台账.xlsx", "blob": fixture("销售台账.xlsx")}])
    dataset.parse_documents([one.id for one in documents])
    return rag.create_chat("sales", dataset_ids=[dataset.id]), dataset, documents[0]
