"""The same program, the same bits, for any number of ranks; and what they send each other."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter, defaultdict
from typing import Any
from unittest.mock import patch

import pytest

from somd.calls.specialisations import declared_arguments
from somd.capture.reaching import reach_of_source
from somd.sources.scaling import Scaling, arguments
from tests.runtime.mpi import programs
from tests.runtime.mpi.launching import started, unavailable
from tests.runtime.mpi.limited import unlimited
from tests.runtime.mpi.staying import COLUMNS, STEPS
from tests.usual import ALL

PROGRAMS = ("-m", "tests.runtime.mpi.programs")
#: three are the fewest of which one has neighbours on both sides
SIZES = (2, 3, 5) if ALL else (3,)


def ranks_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("RANK ")]


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """What ranks are to give, by a process that no launcher has started."""
    (found,) = ranks_of(started(None, *PROGRAMS))
    assert found["sent"] == {}
    return dict(found["results"])


@pytest.mark.skipif(not ALL and unavailable() is None, reason="ranks of MPI do the same: SOMD_ALL_CASES=1")
def test_bits_on_ranks_that_are_threads(alone: dict[str, str]) -> None:
    sizes = (1, 2, 3, 5, 8, 13) if ALL else (3, 8)
    found = ranks_of(started(None, *PROGRAMS, *map(str, sizes)))
    assert len(found) == sum(sizes)
    for each in found:
        assert each["results"] == alone, (each["rank"], each["size"])


def test_bits_on_devices_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_TARGET", "opencl")
    (alone,) = ranks_of(started(None, *PROGRAMS))
    found = ranks_of(started(None, *PROGRAMS, *(("1", "2", "3", "5", "8", "13") if ALL else ("3", "8"))))
    if ALL and unavailable() is None:
        found += ranks_of(started(3, *PROGRAMS))
    assert len(found) == (35 if ALL and unavailable() is None else 32 if ALL else 11)
    for each in found:
        assert each["results"] == alone["results"], (each["rank"], each["size"])


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
@pytest.mark.parametrize("size", SIZES)
def test_bits_and_messages_on_ranks_of_mpi(size: int, alone: dict[str, str]) -> None:
    found = ranks_of(started(size, *PROGRAMS))
    assert sorted(each["rank"] for each in found) == list(range(size))
    for each in found:
        assert each["size"] == size
        assert each["results"] == alone, each["rank"]
    for each in found:
        neighbours = (each["rank"] > 0) + (each["rank"] < size - 1)
        sent = {place: (entry["messages"], entry["bytes"]) for place, entry in each["sent"].items()}
        # one element to each neighbour, when it was written; nothing before, and nothing when it is read again
        assert sent["again 2"] == (neighbours, 8 * neighbours)
        assert "again 1" not in sent and "again 3" not in sent
        # a method that only reads what all have sends nothing but its result
        assert "taken 1" not in sent or each["sent"]["taken 1"]["messages"] == 0
        if each["rank"] < size - 1:  # of the array that is written, two rows when they are stale
            assert sent["upwind 1"] == (STEPS - 1, (STEPS - 1) * 2 * COLUMNS * 8)
        assert "upwind result" not in sent and "upwind serial" not in sent
        if size == 3:  # two of three steps read what the one before has written, five rows beyond the part
            assert sent["far 1"] == (2 * neighbours, 2 * 5 * 8 * neighbours)
    for method, calls in RECKONED.items():
        of_method = {place: entry for place, entry in total(found).items() if place.startswith(f"{method.__name__} ")}
        assert of_method == reckoned(method, calls, size, found[0]["threads"])


#: methods, and the calls of `programs` of each: for what these send it does not matter what is in their arrays
RECKONED = {
    programs.far: [{"a": "31", "b": "31", "steps": "3"}],
    programs.again: [{"a": str(rows)} for rows in (1, 2, 30)],
    programs.rows_then_columns: [{"a": f"{rows}x7", "steps": "2"} for rows in (2, 9)],
    programs.waves: [dict.fromkeys(("u", "v", "w", "force"), "900") | {"steps": "13"}],
    programs.spread: [{"a": "3001", "at": "3001", "n": "5"}],
}


def total(found: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """What all ranks have sent together, but for how calls begin."""
    of_all: dict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        for place, entry in each["sent"].items():
            if not place.endswith(" begin"):
                of_all[place].update(entry)
    return {place: dict(entry) for place, entry in of_all.items()}


def reckoned(method: Any, calls: list[dict[str, str]], size: int, threads: int) -> dict[str, dict[str, int]]:
    """What is reckoned of these calls, without ranks, of so many threads each."""
    function = method.somd_function
    found = reach_of_source(function, None)
    types = declared_arguments(function, found, SIGNATURES.get(method))
    of_all: dict[str, Counter[str]] = defaultdict(Counter)
    with patch.dict(os.environ, {"SOMD_SMALL_WORK": "0", "SOMD_WORKERS": str(threads)}):
        scaling = Scaling(function, found, types)
        for call in calls:
            given = ", ".join(f"{name}={value}" for name, value in call.items())
            for place, entry in scaling.on(size, tuple(arguments(types, given).values())).reckoned.items():
                sent = {name: getattr(entry, name) for name in ("messages", "bytes", "gathers", "gathered_bytes")}
                of_all[f"{method.__name__} {place}"].update(sent)
    return {place: dict(entry) for place, entry in of_all.items() if any(entry.values())}


SIGNATURES = {programs.spread: "float64[:], int64[:], int64"}


def test_rows_of_other_ranks_are_not_for_other_threads() -> None:
    """A thread beside the main one has no part in exchanges; it is told so, and served once rows are here."""
    done = started(None, "-m", "tests.runtime.mpi.elsewhere")
    assert done.returncode == 0, done.stderr[-3000:]
    said = done.stdout.splitlines()
    told = "rows of an array float64[100, 100] are on other ranks, and they are exchanged by the main thread alone"
    assert said == [f"{told}: call `somd.gather` of it there, before"] * 2 + ["10000.0"]


@pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
@pytest.mark.usual(0)
def test_a_rank_has_memory_for_its_share() -> None:
    done = started(2, "-m", "tests.runtime.mpi.memory", "48")
    assert done.returncode == 0, done.stderr[-3000:]
    said = [line.split() for line in done.stdout.splitlines() if line.startswith("rank ")]
    assert len(said) == 2
    for words in said:  # four arrays are there at most; each of them whole would be eight shares
        assert float(words[5]) < 5.0 and words[7] == "24.0", words


@pytest.mark.skipif(not os.environ.get("SOMD_ALL_CASES"), reason="four ranks compile, and take 2.5 GB")
@pytest.mark.skipif(unavailable() is not None or unlimited() is not None, reason=f"{unavailable()}, {unlimited()}")
def test_heat_of_which_no_rank_could_hold_the_whole() -> None:
    """Two arrays of 1 GB, and each rank is killed where it takes more than a quarter of both and 300 MB."""
    alone = started(1, "-m", "tests.runtime.mpi.limited", "1024")
    assert alone.returncode != 0 and "took" not in alone.stdout
    done = started(4, "-m", "tests.runtime.mpi.limited", "1024")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("a rank took ") == 4
