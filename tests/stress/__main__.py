"""Run all programs many times over, on all threading layers.

    python -m tests.stress [--times 50] [--layer omp] [--only fork] [--jobs 2]

Prints a line for each program and layer, and what failed; ends with status 1 if anything did.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.stress.running import CACHES, LIVE, fresh_cache, layers, run


def once(name: str, layer: str, cache: Path) -> str | None:
    """Run a program, or what befalls a cache; what went wrong, or None."""
    try:
        if name in CACHES:
            with fresh_cache() as folder:
                CACHES[name](layer, folder)
        else:
            run(name, layer, cache)
    except AssertionError as error:
        return str(error)
    return None


def main() -> int:
    """Run, print, and return the status."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--layer", action="append", choices=("omp", "tbb", "workqueue"))
    parser.add_argument("--only", action="append", help="part of a name")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    os.environ["SOMD_ALL_CASES"] = "1"
    names = [n for n in (*LIVE, *CACHES) if not options.only or any(part in n for part in options.only)]
    bad = 0
    with fresh_cache() as cache, ThreadPoolExecutor(options.jobs) as executor:
        for layer in options.layer or layers():
            for name in names:
                begun = time.monotonic()
                found = list(
                    executor.map(
                        lambda _, job: job(), range(options.times), [partial(once, name, layer, cache)] * options.times
                    )
                )
                failures = [text for text in found if text is not None]
                bad += len(failures)
                taken = time.monotonic() - begun
                print(
                    f"{layer:10} {name:26} {options.times - len(failures):3} of {options.times} {taken:7.1f} s",
                    flush=True,
                )
                for text in failures[:2]:
                    print("\n".join(f"    {line}" for line in text.splitlines()[-12:]), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
