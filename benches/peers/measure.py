"""Runs a command: wall time, peak memory and output as one JSON document.

usage: measure.py COMMAND [ARGUMENT ...]
"""

import json
import os
import subprocess
import sys
import time

KILOBYTES = 1 if sys.platform == "darwin" else 1024

start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
output = child.stdout.read()
_, status, usage = os.wait4(child.pid, 0)
wall = time.perf_counter() - start
json.dump(
    {
        "ms": wall * 1000,
        "peak_bytes": usage.ru_maxrss * KILOBYTES,
        "code": os.waitstatus_to_exitcode(status),
        "output": output.decode("utf-8", "replace"),
    },
    sys.stdout,
)
