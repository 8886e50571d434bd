"""The official MCP SDK's client, over HTTP with a key and on stdio."""

import asyncio
import json
import pathlib
import subprocess
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from ragflow_sdk import RAGFlow
from service import ROOT, command, fixture, served

TOOLS = {"list_datasets", "describe_tables", "ask", "query", "search_rows", "get_rows", "upload_file"}
ITEMS = "name,price\na,20\nb,22\n"


async def called(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def worked(session):
    await session.initialize()
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS and all(tool.output_schema for tool in tools)
    datasets = (await called(session, "list_datasets"))["datasets"]
    assert {one["name"]: one["rows"] for one in datasets}["sales"] == 120
    tables = (await called(session, "describe_tables", dataset="sales"))["tables"]
    assert tables[0]["rows"] == 120
    answer = (await called(session, "ask", dataset="sales", question="各部门的销售额合计，从高到低"))["answer"]
    assert answer["rows"][0] == ["华南销售部", 390483.63], answer["rows"]
    table = tables[0]["name"]
    answer = (await called(session, "query", dataset="sales", sql=f"SELECT COUNT(*) FROM {table}"))["answer"]
    assert answer["rows"] == [[120]]
    rows = (await called(session, "search_rows", dataset="sales", words="华南销售部", limit=3))["rows"]
    assert len(rows) == 3 and "华南销售部" in rows[0]["content"]
    page = await called(session, "get_rows", dataset="sales", document=rows[0]["doc_id"], skip=100, limit=50)
    assert len(page["rows"]) == 20 and page["total"] == 120
    refused = await session.call_tool("query", {"dataset": "sales", "sql": f"DROP TABLE {table}"})
    assert refused.is_error
    unknown = await session.call_tool("ask", {"dataset": "none", "question": "x"})
    assert unknown.is_error and "list_datasets" in unknown.content[0].text
    resources = (await session.list_resources()).resources
    assert [one.name for one in resources] == [table]
    read = (await session.read_resource(resources[0].uri)).contents[0]
    shown = json.loads(read.text)
    assert shown["table"]["rows"] == 120 and len(shown["rows"]) == 5 and len(shown["columns"]) == len(shown["rows"][0])


async def uploaded(session, **file):
    """The first rows of a file that was uploaded into a dataset of its own."""
    document = (await called(session, "upload_file", dataset="uploads", **file))["document"]
    assert document["run"] == "DONE" and document["rows"] == 2, document
    table = (await called(session, "describe_tables", dataset="uploads"))["tables"][0]["name"]
    answer = (await called(session, "query", dataset="uploads", sql=f"SELECT SUM(price_long) FROM {table}"))["answer"]
    assert answer["rows"] == [[42]], answer["rows"]


async def refused(session, part, **file):
    result = await session.call_tool("upload_file", {"dataset": "uploads", **file})
    assert result.is_error and part in result.content[0].text, result.content


async def over_http(base, key):
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {key}"}) as client:
        async with streamable_http_client(f"{base}/mcp", http_client=client) as (read, write):
            async with ClientSession(read, write) as session:
                await worked(session)
                await uploaded(session, name="items.csv", content=ITEMS)
                await refused(session, "give `name` and `content`", path="/etc/passwd")
                await refused(session, "send a workbook with", name="items.xlsx", content="x")


async def on_stdio():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as files:
        (pathlib.Path(files) / "items.csv").write_text(ITEMS)
        for words in (["kb", "create", "uploads"], ["kb", "create", "sales"], ["kb", "add", "sales", str(ROOT / "fixtures" / "销售台账.xlsx")]):
            words, environment = command(folder, *words)
            subprocess.run(words, env=environment, check=True, capture_output=True)
        words, environment = command(folder, "mcp")
        server = StdioServerParameters(command=words[0], args=words[1:], env=environment)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await worked(session)
            await refused(session, "--allow DIR", path=f"{files}/items.csv")
        words, environment = command(folder, "mcp", "--allow", files)
        server = StdioServerParameters(command=words[0], args=words[1:], env=environment)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await uploaded(session, path=f"{files}/items.csv")
            await refused(session, "is no file in a folder", path="/etc/passwd")


def main():
    with served() as (base, key):
        rag = RAGFlow(key, base)
        rag.create_dataset(name="uploads", chunk_method="table")
        dataset = rag.create_dataset(name="sales", chunk_method="table")
        documents = dataset.upload_documents([{"display_name": "销售台账.xlsx", "blob": fixture("销售台账.xlsx")}])
        dataset.parse_documents([one.id for one in documents])
        asyncio.run(over_http(base, key))
    asyncio.run(on_stdio())
    print("mcp: all passed")


main()
