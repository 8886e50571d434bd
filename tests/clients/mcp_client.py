"""The official MCP SDK's client, over HTTP with a key and on stdio."""

import asyncio
import subprocess
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from ragflow_sdk import RAGFlow
from service import ROOT, command, fixture, served

TOOLS = {"list_datasets", "describe_tables", "ask", "query", "search_rows", "get_rows"}


async def called(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def worked(session):
    await session.initialize()
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS and all(tool.output_schema for tool in tools)
    datasets = (await called(session, "list_datasets"))["datasets"]
    assert datasets[0]["name"] == "sales" and datasets[0]["rows"] == 120
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


async def over_http(base, key):
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {key}"}) as client:
        async with streamable_http_client(f"{base}/mcp", http_client=client) as (read, write):
            async with ClientSession(read, write) as session:
                await worked(session)


async def on_stdio():
    with tempfile.TemporaryDirectory() as folder:
        for words in (["kb", "create", "sales"], ["kb", "add", "sales", str(ROOT / "fixtures" / "销售台账.xlsx")]):
            words, environment = command(folder, *words)
            subprocess.run(words, env=environment, check=True, capture_output=True)
        words, environment = command(folder, "mcp")
        server = StdioServerParameters(command=words[0], args=words[1:], env=environment)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await worked(session)


def main():
    with served() as (base, key):
        rag = RAGFlow(key, base)
        dataset = rag.create_dataset(name="sales", chunk_method="table")
        documents = dataset.upload_documents([{"display_name": "销售台账.xlsx", "blob": fixture("销售台账.xlsx")}])
        dataset.parse_documents([one.id for one in documents])
        asyncio.run(over_http(base, key))
    asyncio.run(on_stdio())
    print("mcp: all passed")


main()
