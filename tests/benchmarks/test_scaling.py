"""How gains by workers are judged, and what they are judged by."""

from __future__ import annotations

import time

import pytest

from benchmarks import cores, scaling
from benchmarks.independent import beside_copies, in_child


def test_a_share_is_enough_by_itself_or_by_the_bound() -> None:
    assert scaling.verdict({2: 0.9, 16: 0.6}, {16: 0.9}) == "linear"
    assert scaling.verdict({2: 0.9, 16: 0.5}, {16: 0.4}) == "bound"
    assert scaling.verdict({2: 0.5, 8: 0.5, 16: 0.3}, {2: 0.6, 8: 0.5, 16: 0.4}) == "below at 2, 16"


def test_cpus_are_one_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "threads_of_its_core", lambda cpu: frozenset((cpu % 4, cpu % 4 + 4)))
    monkeypatch.setattr(cores, "node_of", lambda cpu: cpu % 2)
    assert cores.one_for_each_core(list(range(8))) == [0, 2, 1, 3]
    assert cores.one_for_each_core([5, 6]) == [6, 5]


def test_copies_run_in_processes_of_their_own() -> None:
    cpus = cores.allowed()[:1] * 2
    assert beside_copies((lambda seconds: time.sleep(seconds), (0.06,)), cpus, 1) >= 0.06
    assert in_child(sum, [1, 2]) == 3
    with pytest.raises(SystemExit, match="ended with 1"):
        in_child(max, [])
