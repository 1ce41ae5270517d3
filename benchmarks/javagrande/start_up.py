"""The first call of a benchmark in a new process, with empty caches and with filled ones.

`first_calls` starts two processes that share a new cache folder; each imports, prepares and times its first call. Run
as a program, this module is such a process: it takes a JSON object on the command line and prints the seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.javagrande.columns import Column
from benchmarks.javagrande.measure import timed_call
from benchmarks.javagrande.registry import BY_NAME

ROOT = Path(__file__).parents[2]
CACHE_VARIABLES = {
    "SOMD_CACHE_DIR": "somd",
    "NUMBA_CACHE_DIR": "numba",
    "XDG_CACHE_HOME": "home",
    "POCL_CACHE_DIR": "pocl",
}


def first_calls(name: str, size: str, column: Column) -> tuple[float, float]:
    """Seconds of the first call with empty caches, and with the caches that this call filled.

    Raises `subprocess.CalledProcessError`, the process's messages in its `stderr`, if a call fails.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return _in_new_process(name, size, column, folder), _in_new_process(name, size, column, folder)


def _in_new_process(name: str, size: str, column: Column, folder: str) -> float:
    environment = dict(os.environ)
    for variable, subfolder in CACHE_VARIABLES.items():
        cache = Path(folder, subfolder)
        cache.mkdir(exist_ok=True)
        environment[variable] = str(cache)
    request = json.dumps({"name": name, "size": size, "column": asdict(column)})
    command = [sys.executable, "-m", "benchmarks.javagrande.start_up", request]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def _main(request: str) -> None:
    asked = json.loads(request)
    entry = BY_NAME[asked["name"].lower()]
    print(timed_call(Column(**asked["column"]), entry.load(), asked["size"]))


if __name__ == "__main__":
    _main(sys.argv[1])
