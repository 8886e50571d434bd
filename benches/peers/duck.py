"""DuckDB's side.

usage: duck.py copy THREADS CSV PARQUET   a text file becomes Parquet
       duck.py serve THREADS PARQUET      times the statements on standard input, one a line; the table is `t`
"""

import json
import sys
import time

import duckdb


def copy(connection, source, target):
    connection.execute(f"COPY (SELECT * FROM read_csv('{source}')) TO '{target}' (FORMAT parquet)")


def timed(connection, statement):
    start = time.perf_counter()
    rows = connection.execute(statement).fetchall()
    return {"ms": (time.perf_counter() - start) * 1000, "rows": rows}


def serve(connection, parquet):
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{parquet}')")
    print(json.dumps({"ms": 0, "rows": []}), flush=True)
    for line in sys.stdin:
        print(json.dumps(timed(connection, line.strip()), default=str), flush=True)


mode, threads, *files = sys.argv[1:]
{"copy": copy, "serve": serve}[mode](duckdb.connect(config={"threads": int(threads)}), *files)
