"""The README's lines from a file to a cited answer run as they are written."""

import re
import shutil
import subprocess

from service import ROOT, served


def main():
    if not shutil.which("curl"):
        print("readme: skipped, there is no curl")
        return
    text = (ROOT / "README.md").read_text()
    lines = re.search(r"```sh\n(api=.*?)```", text, re.S).group(1)
    with served(key=False) as (base, _):
        lines = lines.replace("http://127.0.0.1:9380", base)
        said = subprocess.run(["bash", "-eu"], input=lines, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0 and "390483.63" in said.stdout and "销售台账.xlsx" in said.stdout, said
    print("readme: all passed")


main()
