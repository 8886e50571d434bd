"""The debug binary, serving an empty folder on a free port of this machine."""

import contextlib
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "target" / "debug" / "sheetwise"


def fixture(name):
    return (ROOT / "fixtures" / name).read_bytes()


def command(folder, *words):
    names = ("SHEETWISE_", "LLM_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    return [str(BINARY), *words], {**environment, "SHEETWISE_DATA": folder}


@contextlib.contextmanager
def served(key=True, process=False):
    """The base address and a key, where one is wanted; the process's number too, where that is."""
    with tempfile.TemporaryDirectory() as folder:
        words, environment = command(folder, "keys", "create", "clients")
        if key:
            key = subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout.strip()
        words, environment = command(folder, "serve", "--listen", "127.0.0.1:0")
        running = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            base = running.stdout.readline().split()[-1]
            assert base.startswith("http://127.0.0.1:"), base
            yield (base, key, running.pid) if process else (base, key)
        finally:
            running.terminate()
            assert running.wait(timeout=30) == 0
