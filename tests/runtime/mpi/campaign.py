"""All programs of `programs` for many numbers of ranks, threads and targets, beside one process: the same bits.

    python -m tests.runtime.mpi.campaign [--targets multicore,opencl] [--workers 1,2] [--ranks 1,2,3,5,8,13] [--mpi]

Ranks are threads; with `--mpi` processes, started by the launcher beside this Python. What is compared with plain
Python, and what with one process, stands in `programs`; ends with status 1 where something differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from tests.runtime.mpi.launching import started

PROGRAMS = ("-m", "tests.runtime.mpi.programs")
#: seconds that compiling and running may take on a loaded machine
PATIENCE = 1800


def found_by(ranks: int | None, target: str, workers: str, *sizes: str) -> list[dict[str, Any]]:
    """What each rank says of itself."""
    chosen = {"SOMD_TARGET": target, "SOMD_WORKERS": workers, "SOMD_ALL_CASES": "1"}
    done = started(ranks, *PROGRAMS, *sizes, timeout=PATIENCE, environment=chosen)
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("RANK ")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default="multicore,opencl")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--ranks", default="1,2,3,5,8,13")
    parser.add_argument("--mpi", action="store_true")
    chosen = parser.parse_args()
    differing = 0
    for target in chosen.targets.split(","):
        for workers in chosen.workers.split(","):
            begun, sizes = time.monotonic(), chosen.ranks.split(",")
            (alone,) = found_by(None, target, workers)
            found = found_by(None, target, workers, *sizes) if not chosen.mpi else []
            for size in sizes if chosen.mpi else ():
                found += found_by(int(size), target, workers)
            wrong = {
                (each["size"], name)
                for each in found
                for name, result in alone["results"].items()
                if each["results"].get(name) != result
            }
            differing += len(wrong)
            said = ", ".join(f"{name} on {size}" for size, name in sorted(wrong)) or "the same bits"
            count = f"{len(alone['results'])} programs on {len(found)} ranks of {chosen.ranks}"
            print(f"{target}, workers {workers}: {count}: {said} ({time.monotonic() - begun:.0f} s)", flush=True)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
