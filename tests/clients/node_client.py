"""OpenAI's client for Node chats with a chat as the model; without Node it says so, and fails where all clients are required."""

import os
import shutil
import subprocess

from sales import prepared
from service import ROOT, served

PACKAGE = "openai@6.49.0"
FOLDER = ROOT / "target" / "clients" / "node"


def main():
    if not (shutil.which("node") and shutil.which("npm")):
        assert os.environ.get("SHEETWISE_CLIENTS") != "required", "Node is missing: its client of the service needs it"
        print("node: skipped, there is no node")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--no-package-lock", "--no-save", "--no-audit", "--no-fund", "--silent", "--prefix", str(FOLDER), PACKAGE]
    subprocess.run(install, check=True, timeout=300)
    script = FOLDER / "openai_client.mjs"
    # A module is looked for beside the file that asks for it.
    shutil.copy(ROOT / "tests" / "clients" / "openai_client.mjs", script)
    with served() as (base, key):
        chat, _, _ = prepared(base, key)
        environment = {**os.environ, "BASE": base, "KEY": key, "CHAT": chat.id}
        subprocess.run(["node", str(script)], env=environment, check=True, timeout=120)
    print("node: all passed")


main()
