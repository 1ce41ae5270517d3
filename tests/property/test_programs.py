"""Accepted means equal, and what is really independent is accepted: over generated programs.

A longer run: `python -m tests.property.campaign`; or SOMD_PROGRAMS=20000 (interpreter),
SOMD_PROGRAMS_MULTICORE=300, SOMD_PROGRAMS_OPENCL=300.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.property.campaign import report, table
from tests.property.compiled import mismatches
from tests.property.examining import examine
from tests.property.judgement import judge
from tests.property.programs import program
from tests.trials import with_trials

ACCEPTED_AT_LEAST = 0.99
#: false refusals that a short run may meet by chance
FEW = 2


def wanted(name: str, default: int) -> int:
    return int(os.environ.get(name, default))


@pytest.mark.parametrize("aliased", [False, True])
def test_generated_programs_in_the_interpreter(aliased: bool) -> None:
    numbers = range(wanted("SOMD_PROGRAMS", 20 if aliased else 50))
    judged = [judge(number, aliased=aliased) for number in numbers]
    found = [judgement for judgement in judged if judgement is not None]
    bad = [j for j in found if j.verdict in ("wrong", "crash")]
    for judgement in bad[:3]:
        print(judgement.number, *judgement.details, program(judgement.number).text, sep="\n")
    assert not bad, report(found)
    counts = Counter(j.verdict for j in found)
    independent = counts["accepted"] + counts["false refusal"]
    assert counts["false refusal"] <= max(FEW, (1 - ACCEPTED_AT_LEAST) * independent), report(found)


def test_generated_programs_of_many_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    judged = [examine(number, "plan") for number in range(wanted("SOMD_PROGRAMS_MIXED", 6))]
    assert not [(each.number, each.details) for each in judged if each.verdict in ("differs", "failed")], table(judged)
    assert any(each.verdict == "agrees" for each in judged)


@pytest.mark.parametrize(("target", "default"), [("multicore", 4), ("opencl", 6)])
def test_generated_programs_on_a_target(
    target: str, default: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(with_trials(tmp_path)))
    left = wanted(f"SOMD_PROGRAMS_{target.upper()}", default)
    number = done = 0
    bad: dict[int, list[str]] = {}
    while done < left and number < 20 * left:
        found = mismatches(number, target)
        done += found is not None
        if found:
            bad[number] = found
        number += 1
    if not done:
        pytest.skip(f"no program runs on {target} here")
    assert not bad
