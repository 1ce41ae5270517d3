"""Runs the language corpus on Oclgrind, which finds races in kernels and accesses outside their arrays.

    .venv/bin/python tools/oclgrind_corpus.py                  every program, some minutes
    .venv/bin/python tools/oclgrind_corpus.py complex. strips.halves

In: beginnings of names, `file.program`; all without. Each program runs its cases of few elements, the smallest first,
as long as its time lasts, and must give the results of plain Python. Out: a line a program, what was reported, and
status 1 if anything was. Oclgrind interprets every instruction, so this is no part of the usual tests. It lacks some
instructions that its compiler makes of integer arithmetic; a program that has them is run without optimisation.
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


#: told where a kernel has an instruction that Oclgrind lacks
LACKS = "INVALID_KERNEL_NAME"
PLAIN = {"OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable"}


def run_file(name: str, prefixes: list[str], elements: int, seconds: float, again: Path) -> int:
    """Run the programs of one file in this process; the number of those that failed. Those that must be run without
    optimisation are entered in the file `again`."""
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
            except Exception as error:
                if LACKS in str(error) and "OCLGRIND_BUILD_OPTIONS" not in os.environ:
                    said = ", then again without optimisation"
                    again.write_text(f"{again.read_text() if again.exists() else ''}{program.name}\n")
                else:
                    said, failed = f" FAILED: {type(error).__name__}: {str(error)[:400]}", failed + 1
                break
        print(f"{program.name}: {ran} cases, {time.monotonic() - start:.1f} s{said}", flush=True)
    return failed


def _passes(name: str, options: list[str], log: Path, settings: dict[str, str]) -> bool:
    """Whether the programs of a file pass, in a process of their own, and nothing is reported."""
    environment = {**os.environ, **settings, "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": str(log)}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    status = subprocess.run([sys.executable, __file__, "--file", name, *options], env=environment).returncode
    said = log.read_text(errors="replace") if log.exists() else ""
    if said:
        print(f"--- Oclgrind on {name}.py ---\n{said[:20000]}", flush=True)
    return not status and not said


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("prefixes", nargs="*")
    parser.add_argument("--elements", type=int, default=ELEMENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each program")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--again", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file:
        return run_file(given.file, given.prefixes, given.elements, given.seconds, given.again)
    failed = 0
    for name in files(given.prefixes):
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder) / "again"
            options = [f"--elements={given.elements}", f"--seconds={given.seconds}", f"--again={again}"]
            failed += not _passes(name, [*options, *given.prefixes], Path(folder) / "log", {})
            if again.exists():
                failed += not _passes(name, [*options, *again.read_text().split()], Path(folder) / "plain", PLAIN)
    print("nothing was reported" if not failed else "see above", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
