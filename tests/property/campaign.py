"""Judges many generated programs: `python -m tests.property.campaign --programs 20000 [--first N] [--out FILE]`.

It reports counts and rates, and the compile time of the front end and the analysis, median and worst.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.property.judgement import Judgement, judge
from tests.property.programs import program


def report(found: list[Judgement]) -> str:
    """Counts, rates and compile times."""
    counts = Counter(j.verdict for j in found)
    codes = Counter(f"{j.verdict} {j.code}" for j in found if j.code)
    independent = counts["accepted"] + counts["wrong"] + counts["false refusal"]
    times = sorted((j.seconds, j.number) for j in found if j.seconds)
    lines = [f"{len(found)} programs: " + ", ".join(f"{v} {n}" for v, n in counts.most_common())]
    lines.append(", ".join(f"{code}: {n}" for code, n in codes.most_common()))
    if independent:
        lines.append(f"of {independent} independent ones accepted: {1 - counts['false refusal'] / independent:.2%}")
    if times:
        median = statistics.median(seconds for seconds, _ in times)
        lines.append(
            f"front end and analysis: median {median:.3f} s, worst {times[-1][0]:.3f} s (program {times[-1][1]})"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a file for all that is not as it should be, as JSON lines")
    parser.add_argument("--every", type=int, default=0, help="report after each so many programs")
    parser.add_argument("--aliased", action="store_true", help="pass one array for two parameters")
    parser.add_argument("--show", action="store_true", help="print each such program")
    options = parser.parse_args()
    found = []
    for number in range(options.first, options.first + options.programs):
        judgement = judge(number, aliased=options.aliased)
        if judgement is None:
            continue
        found.append(judgement)
        if judgement.verdict in ("wrong", "crash", "false refusal"):
            if options.out is not None:
                with options.out.open("a") as file:
                    file.write(json.dumps(asdict(judgement)) + "\n")
            if options.show:
                print(f"# {number}: {judgement.verdict} {judgement.details}\n{program(number).text}")
        if options.every and len(found) % options.every == 0:
            print(report(found), flush=True)
    print(report(found))


if __name__ == "__main__":
    main()
