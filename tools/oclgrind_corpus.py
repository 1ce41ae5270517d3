"""Runs the language corpus on Oclgrind, which finds races in kernels and accesses outside their arrays.

    .venv/bin/python tools/oclgrind_corpus.py                  every program, some minutes
    .venv/bin/python tools/oclgrind_corpus.py complex. strips.halves

In: beginnings of names, `file.program`; all without. Each program runs its cases of few elements, the smallest first,
as long as its time lasts, and must give the results of plain Python. Out: a line a program, what was reported, and
status 1 if anything was. Oclgrind interprets every instruction, so this is no part of the usual tests.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "language"
#: elements of all arguments together, and seconds after which a program gets no further case
ELEMENTS, SECONDS = 2000, 10.0


def files(prefixes: list[str]) -> list[str]:
    """The files of the corpus that hold programs with these beginnings."""
    known = sorted(p.stem for p in CORPUS.glob("*.py") if not p.stem.startswith("test_") and p.stem != "program")
    return [name for name in known if not prefixes or any(f"{name}.".startswith(p[: len(name) + 1]) for p in prefixes)]


def run_file(name: str, prefixes: list[str], elements: int, seconds: float) -> int:
    """Run the programs of one file in this process; the number of those that failed."""
    import numpy as np

    import somd
    from tests.differential import harness
    from tests.language.program import PROGRAMS

    def size(args: tuple[Any, ...]) -> int:
        return sum(a.size if isinstance(a, np.ndarray) else 1 for a in args)

    importlib.import_module(f"tests.language.{name}")
    failed = 0
    for program in PROGRAMS:
        if "opencl" in program.xfail or (prefixes and not program.name.startswith(tuple(prefixes))):
            continue
        start, ran, said = time.monotonic(), 0, ""
        for args in sorted(program.cases(), key=size):
            if ran and (size(args) > elements or time.monotonic() - start > seconds):
                break
            try:
                with somd.use(device="oclgrind"):
                    harness.check(program.method, args, "opencl", rtol=program.rtol, workers=(1,))
                ran += 1
            except (AssertionError, somd.SomdFallbackWarning, Exception) as error:
                said, failed = f" FAILED: {type(error).__name__}: {str(error)[:400]}", failed + 1
                break
        print(f"{program.name}: {ran} cases, {time.monotonic() - start:.1f} s{said}", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("prefixes", nargs="*")
    parser.add_argument("--elements", type=int, default=ELEMENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each program")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file:
        return run_file(given.file, given.prefixes, given.elements, given.seconds)
    failed = 0
    for name in files(given.prefixes):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "oclgrind.log"
            environment = {**os.environ, "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log)}
            environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            command = [sys.executable, __file__, "--file", name, f"--elements={given.elements}"]
            command += [f"--seconds={given.seconds}", *given.prefixes]
            status = subprocess.run(command, env=environment).returncode
            said = log.read_text(errors="replace") if log.exists() else ""
        if said:
            print(f"--- Oclgrind on {name}.py ---\n{said[:20000]}", flush=True)
        failed += bool(status) + bool(said)
    print("nothing was reported" if not failed else "see above", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
