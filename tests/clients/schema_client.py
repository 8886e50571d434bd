"""The description of the routes is true: requests made from it get no server error and no status, type or body that it lacks."""

import os
import pathlib
import subprocess
import sys
import tempfile

from sales import prepared
from service import served

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# Seconds of the whole run.
BUDGET = int(os.environ.get("SHEETWISE_SCHEMA_SECONDS", "90"))


def settings(chat, dataset, document):
    """Ids that are there, so that requests get behind the first check."""
    session = chat.create_session("s")
    ids = {"dataset_id": dataset.id, "document_id": document.id, "chat_id": chat.id, "session_id": session.id}
    return "[parameters]\n" + "".join(f'"path.{name}" = "{value}"\n' for name, value in ids.items())


def main():
    tool = pathlib.Path(sys.executable).parent / "schemathesis"
    with served() as (base, key), tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "schemathesis.toml"
        config.write_text(settings(*prepared(base, key)))
        run = [str(tool), "--config-file", str(config), "run", f"{base}/openapi.json", "--header", f"Authorization: Bearer {key}"]
        run += ["--checks", CHECKS, "--seed", "1", "--phases", "examples,coverage,fuzzing", "--warnings", "off"]
        # What is deleted on the way makes later requests shallow, so deletes come in a run of their own.
        for some, seconds in (("--exclude-method", BUDGET * 3 // 4), ("--include-method", BUDGET // 4)):
            subprocess.run([*run, some, "DELETE", "--max-time", str(seconds)], check=True, cwd=folder, timeout=4 * BUDGET)
    print("schema: all passed")


main()
