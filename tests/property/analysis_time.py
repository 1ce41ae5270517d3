"""Compile time of the front end and the analysis: `python -m tests.property.analysis_time --programs 300`, or
`--corpus` for the programs of tests/language.

Not a test: a shared machine would make it fail for no reason. The aim: median under 0.5 s, worst under 5 s.
"""

from __future__ import annotations

import argparse
import statistics
import time
from contextlib import suppress

from somd.errors import SomdCompileError
from somd.transforms.pipeline import check, compile_for
from tests.language.test_corpus import PROGRAMS
from tests.property.programs import program
from tests.property.running import function_of, types_of


def seconds(number: int) -> float:
    """CPU time to compile the program of this number, accepted or refused."""
    made = program(number)
    function, types = function_of(made), types_of(made)
    start = time.process_time()
    with suppress(SomdCompileError):
        compile_for(function, types, {})
    return time.process_time() - start


def corpus() -> list[tuple[float, str]]:
    """CPU time of what `@somd` does to each program of the corpus: front end, analysis, plan."""
    found = []
    for entry in PROGRAMS:
        function = entry.method.__wrapped__
        if "." in function.__qualname__:  # methods of classes are checked at their calls, when objects are known
            continue
        start = time.process_time()
        check(function)
        found.append((time.process_time() - start, entry.name))
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--corpus", action="store_true", help="the programs of tests/language instead")
    options = parser.parse_args()
    seconds(options.first)  # imports and caches
    if options.corpus:
        found = corpus()
    else:
        chosen = range(options.first, options.first + options.programs)
        found = sorted((seconds(n), f"program {n}") for n in chosen)
    times = [each for each, _ in found]
    most = times[-max(1, len(times) // 100)]
    print(f"{len(times)} programs: median {statistics.median(times):.3f} s, 99 in 100 under {most:.3f} s")
    print("slowest: " + ", ".join(f"{name} {each:.2f} s" for each, name in reversed(found[-5:])))


if __name__ == "__main__":
    main()
