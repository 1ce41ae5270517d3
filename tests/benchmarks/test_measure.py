"""The measure, the record, the command line: on benchmarks that do nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from benchmarks.javagrande import columns, record, registry, runner
from benchmarks.javagrande.columns import Column
from benchmarks.javagrande.invalid import InvalidResult, require
from benchmarks.javagrande.measure import Measurement, measure, middle_third_mean
from benchmarks.javagrande.plot import plot

SEQUENTIAL = Column("sequential")


class Count:
    """A benchmark whose result is the number of its arguments so far; `bad` says which one is not valid."""

    def __init__(self, bad: int | None = None) -> None:
        self.prepared = 0
        self.bad = bad

    def prepare(self, size: str) -> tuple[int]:
        self.prepared += 1
        return (self.prepared,)

    def sequential(self, number: int) -> int:
        return number

    def validate(self, size: str, args: tuple[int], result: int) -> None:
        assert args == (result,)
        if result == self.bad:
            raise InvalidResult(f"result {result}")


@pytest.mark.parametrize(
    ("samples", "mean"),
    [([3.0], 3.0), ([1.0, 2.0], 1.5), ([9.0, 1.0, 2.0], 2.0), ([5, 1, 9, 3, 4, 2], 3.5)],
)
def test_the_mean_is_of_the_middle_third(samples: list[float], mean: float) -> None:
    assert middle_third_mean(samples) == mean


def test_thirty_samples_count_by_ten() -> None:
    assert middle_third_mean([*range(10), *[100.0] * 10, *range(1000, 1010)]) == 100.0


def test_columns_are_taken_in_turn_and_the_first_runs_are_not_counted() -> None:
    runs: list[Column] = []
    other = Column("sequential", device="again")
    found = measure("Count", Count(), "A", [SEQUENTIAL, other], 3, runs.append)
    assert runs == [SEQUENTIAL, other] * 4
    assert [len(m.samples) for m in found] == [3, 3]


@pytest.mark.parametrize("bad", [1, 3, 4])
def test_an_invalid_run_leaves_no_time(bad: int) -> None:
    (found,) = measure("Count", Count(bad), "A", [SEQUENTIAL], 3, lambda _: None)
    assert found.error == f"invalid: result {bad}"
    assert (found.samples, found.seconds, found.speed_up) == ([], None, None)


def test_speed_ups_are_relative_to_sequential(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: Iterator[float] = iter([0.0, 0.0, 6.0, 2.0])
    monkeypatch.setattr("benchmarks.javagrande.measure.timed_call", lambda *_: next(seconds))
    found = measure("Count", Count(), "A", [SEQUENTIAL, Column("sequential", device="fast")], 1, lambda _: None)
    assert [m.speed_up for m in found] == [1.0, 3.0]


def test_require_refuses_nan_and_takes_the_tolerance_itself() -> None:
    require("x", 1.5, 1.0, 0.5)
    require("x", 200.0, 100.0, 1.0, relative=True)
    for wrong in (1.6, float("nan"), float("inf")):
        with pytest.raises(InvalidResult, match="x is"):
            require("x", wrong, 1.0, 0.5)


def test_labels() -> None:
    workers = [Column(target, workers=2).label for target in ("multicore", "prange")]
    assert workers == ["multicore 2", "Numba prange 2"]
    assert [Column("opencl", device="cpu").label, SEQUENTIAL.label] == ["opencl cpu", "sequential"]


def test_a_target_that_is_missing_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_unavailable", lambda target: "no device" if target == "opencl" else None)
    found, notes = columns.available_columns(["sequential", "multicore", "opencl"], [1, 4])
    assert [column.label for column in found] == ["sequential", "multicore 1", "multicore 4"]
    assert notes == ["opencl is left out: no device"]


@pytest.mark.parametrize(("most", "threads", "notes"), [(8, 4, 0), (2, 2, 1)])
def test_prange_has_as_many_threads_as_the_most_workers(
    most: int, threads: int, notes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "numba_threads", lambda: most)
    found, told = columns.available_columns(["sequential", "prange"], [1, 4])
    assert [column.label for column in found] == ["sequential", f"Numba prange {threads}"]
    assert len(told) == notes


@pytest.mark.parametrize("entry", registry.BENCHMARKS, ids=lambda entry: entry.name)
def test_each_benchmark_has_a_port_to_prange(entry: registry.Entry) -> None:
    port = Column("prange", workers=1).function(entry.load())
    assert (port.__module__, port.__name__) == (f"benchmarks.hand_written.{entry.module}", "prange_port")


def test_threads_of_prange_are_in_force_in_its_block_alone() -> None:
    before = numba.get_num_threads()
    with pytest.raises(InvalidResult), Column("prange", workers=1).in_force():
        assert numba.get_num_threads() == 1
        raise InvalidResult
    assert numba.get_num_threads() == before


def a_record() -> dict[str, Any]:
    """A record of two columns, the slower one twice as slow, and one without a time."""
    slow = Measurement("SOR", SEQUENTIAL, [2.0, 2.0], speed_up=1.0)
    fast = Measurement("SOR", Column("multicore", workers=2), [1.0, 1.0], speed_up=2.0)
    lost = Measurement("SOR", Column("opencl", device="cpu"), error="invalid: Gtotal")
    return record.record("A", 2, [slow, fast, lost], ["a note"])


def test_a_record_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.json"
    record.write(file, a_record())
    assert record.earlier_seconds(file, "A") == {("SOR", "sequential"): 2.0, ("SOR", "multicore 2"): 1.0}
    assert record.earlier_seconds(file, "B") == {}
    content = json.loads(file.read_text())
    assert content["versions"]["numpy"] and content["machine"]["cores"] >= 1
    assert [r["valid"] for r in content["results"]] == [True, True, False]


def test_the_plot_is_written_if_there_is_something_to_draw(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    content = a_record()
    assert plot(tmp_path / "a.png", content) and (tmp_path / "a.png").stat().st_size > 1000
    content["results"] = content["results"][:1]
    assert not plot(tmp_path / "b.png", content) and not (tmp_path / "b.png").exists()


@pytest.mark.parametrize("bad", [None, 2])
def test_the_command_line_tells_by_its_status(
    bad: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry: Any = SimpleNamespace(name="Count", load=lambda: Count(bad))
    monkeypatch.setitem(registry.BY_NAME, "count", entry)
    files = ["--json", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.png")]
    asked = ["--benchmarks", "Count", "--targets", "sequential", "--repeat", "2", "--no-start-up", *files]
    assert runner.main(asked) == (0 if bad is None else 1)
    (result,) = json.loads((tmp_path / "a.json").read_text())["results"]
    assert len(result["samples"]) == (2 if bad is None else 0)
    assert "0 s: Count (1 of 1)\n" in capsys.readouterr().err
    if bad is None:
        assert runner.main([*asked, "--compare", str(tmp_path / "a.json")]) == 0


@pytest.mark.parametrize("wrong", [["--class", "D"], ["--workers", "0"], ["--benchmarks", "FFT"], ["--targets", "x"]])
def test_a_wrong_command_line_is_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        runner.main(wrong)
    assert refused.value.code == 2
