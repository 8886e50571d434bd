"""Load on the loopback, each part bounded: figures and the claims that failed. Run it as `target/clients/bin/python tests/clients/load.py target/release/sheetwise`.

Uploads and chats at once, planner questions at a steady rate beside parses, a burst, a long list of documents, the memory peak.
"""

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import time

import httpx

import service

FAILED = []


def claim(holds, text):
    print(("ok    " if holds else "FAILED ") + text, flush=True)
    if not holds:
        FAILED.append(text)


def csv(rows, first=0):
    """Orders with a place, a kind and a number, each row of its own."""
    places = ["Berlin", "Lyon", "Oslo", "Turin", "Porto", "Gdansk", "Ghent"]
    kinds = ["chair", "table", "lamp", "shelf", "bed"]
    lines = (f"{places[n % 7]},{kinds[n % 5]},{n % 97},{n}" for n in range(first, first + rows))
    return ("city,product,qty,code\n" + "\n".join(lines) + "\n").encode()


def peak(pid):
    """Most bytes that the process ever held; 0 where the system does not tell."""
    status = pathlib.Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Api:
    def __init__(self, base, key):
        limits = httpx.Limits(max_connections=None)
        headers = {"Authorization": f"Bearer {key}"}
        self.client = httpx.AsyncClient(base_url=f"{base}/api/v1", headers=headers, timeout=120, limits=limits, trust_env=False)

    async def call(self, method, path, **more):
        """Status, body and seconds."""
        started = time.monotonic()
        answer = await self.client.request(method, path, **more)
        return answer.status_code, answer.json(), time.monotonic() - started

    async def good(self, method, path, **more):
        status, body, _ = await self.call(method, path, **more)
        assert status == 200 and body["code"] == 0, (method, path, status, body)
        return body["data"] if "data" in body else None

    async def dataset(self, name):
        return (await self.good("POST", "/datasets", json={"name": name, "chunk_method": "table"}))["id"]

    async def upload(self, dataset, name, content):
        return await self.call("POST", f"/datasets/{dataset}/documents", files={"file": (name, content)})

    async def parse(self, dataset, ids):
        await self.good("POST", f"/datasets/{dataset}/chunks", json={"document_ids": ids})

    async def parsed(self, dataset):
        """Waits until nothing is being read."""
        while (await self.good("GET", f"/datasets/{dataset}/documents?run=RUNNING"))["total"]:
            await asyncio.sleep(0.2)

    async def ask(self, dataset, question):
        return await self.call("POST", f"/datasets/{dataset}/ask", json={"question": question})


def fair(statuses):
    """Only 200 and the two that say it is too much."""
    return set(statuses) <= {200, 413, 429}


QUESTIONS = ["What is the total qty by city?", "How many rows are in Oslo?", "What is the average qty of lamp?", "Which city has the largest qty?"]


async def questions_beside_parses(api, rows, seconds, rate):
    dataset = await api.dataset("orders")
    _, body, _ = await api.upload(dataset, "orders.csv", csv(rows))
    await api.parse(dataset, [body["data"][0]["id"]])
    await api.parsed(dataset)
    for question in QUESTIONS:
        status, body, _ = await api.ask(dataset, question)
        assert status == 200 and body["data"]["path"] == "planner", body
    other = await api.dataset("beside")
    ids = [(await api.upload(other, f"beside{n}.csv", csv(rows, n * rows + 1)))[1]["data"][0]["id"] for n in range(4)]
    await api.parse(other, ids)
    asked, started = [], time.monotonic()
    for n in range(seconds * rate):
        await asyncio.sleep(max(0, started + n / rate - time.monotonic()))
        asked.append(asyncio.create_task(api.ask(dataset, QUESTIONS[n % len(QUESTIONS)])))
    done = await asyncio.gather(*asked)
    times = [took for _, _, took in done]
    left = (await api.good("GET", f"/datasets/{other}/documents?run=RUNNING"))["total"]
    print(f"      {len(done)} questions, {rate} a second, over {rows} rows beside 4 parses ({left} still under way): "
          f"p50 {percentile(times, 0.5) * 1000:.0f} ms, p99 {percentile(times, 0.99) * 1000:.0f} ms")
    claim(all(status == 200 for status, _, _ in done), "all of them were answered")
    claim(percentile(times, 0.99) < 0.3, "p99 under 300 ms")
    await api.parsed(other)
    return dataset


async def burst(api, dataset):
    started = time.monotonic()
    done = await asyncio.gather(*(api.ask(dataset, QUESTIONS[n % len(QUESTIONS)]) for n in range(200)))
    took = time.monotonic() - started
    statuses = [status for status, _, _ in done]
    print(f"      burst of 200: {statuses.count(200)} answered, {statuses.count(429)} sent away, in {took:.1f} s")
    claim(set(statuses) <= {200, 429} and statuses.count(200) > 0, "a burst is answered or told to come later")
    claim(max(seconds for _, _, seconds in done) < 5, "within 5 s")


async def uploads_and_chats(api, dataset):
    chat = (await api.good("POST", "/chats", json={"name": "load", "dataset_ids": [dataset]}))["id"]
    sessions = [(await api.good("POST", f"/chats/{chat}/sessions", json={"name": str(n)}))["id"] for n in range(100)]
    into = await api.dataset("uploads")

    async def uploaded(n):
        status, body, _ = await api.upload(into, f"file{n}.csv", csv(2_000, n * 2_000))
        if status == 200:
            status, body, _ = await api.call("POST", f"/datasets/{into}/chunks", json={"document_ids": [body["data"][0]["id"]]})
        return status, body

    async def said(n):
        body = {"question": QUESTIONS[n % len(QUESTIONS)], "session_id": sessions[n], "stream": False}
        status, body, _ = await api.call("POST", f"/chats/{chat}/completions", json=body)
        return status, body

    started = time.monotonic()
    done = await asyncio.gather(*(work(n) for n in range(100) for work in (uploaded, said)))
    took = time.monotonic() - started
    statuses = [status for status, _ in done]
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    print(f"      100 uploads and 100 chats at once: {counts} in {took:.1f} s")
    claim(fair(statuses) and all(body["code"] == 0 for status, body in done if status == 200), "no errors but 413 and 429")
    await api.parsed(into)
    print(f"      all uploads read after {time.monotonic() - started:.1f} s")


async def throughput(api, folder, megabytes):
    content = csv(megabytes * 40_000)
    started = time.monotonic()
    with open(folder / "written", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    written = time.monotonic() - started
    dataset = await api.dataset("large")
    _, _, took = await api.upload(dataset, "large.csv", content)
    print(f"      {len(content) / 1e6:.0f} MB: written in {written:.2f} s, uploaded in {took:.2f} s ({written / took:.2f} of it)")


async def long_list(api, count):
    dataset = await api.dataset("many")
    for first in range(0, count, 250):
        files = [("file", (f"f{n}.csv", f"a,b\n{n},1\n".encode())) for n in range(first, first + 250)]
        await api.good("POST", f"/datasets/{dataset}/documents", files=files)
    times = []
    for _ in range(20):
        status, body, took = await api.call("GET", f"/datasets/{dataset}/documents?page_size=30")
        assert status == 200 and body["data"]["total"] == count
        times.append(took)
    print(f"      a page of {count} documents: median {percentile(times, 0.5) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms")
    claim(percentile(times, 0.5) < 0.05, "under 50 ms")


async def main(binary, scale):
    service.BINARY = pathlib.Path(binary)
    with service.served(process=True) as (base, key, pid), tempfile.TemporaryDirectory() as folder:
        api = Api(base, key)
        dataset = await questions_beside_parses(api, rows=100_000 // scale, seconds=max(3, 20 // scale), rate=20)
        await burst(api, dataset)
        await uploads_and_chats(api, dataset)
        await throughput(api, pathlib.Path(folder), megabytes=100 // scale)
        await long_list(api, 10_000 // scale // 250 * 250)
        held = peak(pid)
        print(f"      memory peak {held / 1e6:.0f} MB")
        claim(held < 1.5e9, "memory under 1.5 GB")
    print(json.dumps({"failed": FAILED}))
    sys.exit(bool(FAILED))


if __name__ == "__main__":
    # A second number makes everything so many times smaller.
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1))
