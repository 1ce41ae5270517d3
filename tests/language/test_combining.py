"""What makes the result of a call of its partial results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pytest

import somd
from somd import dist, reduce, sync
from somd.errors import SomdRuntimeError
from somd.language.combining import by_function, combine_of, declared_reduction
from somd.language.markers import Reduce
from tests.differential import harness

seen: list[list[Any]] = []


def noted(partials: list[Any], *rest: Any) -> Any:
    seen.append(partials)
    return partials[0]


def pairs(a: dist[np.ndarray]) -> Annotated[tuple[float, int], reduce(noted, 1, 2)]:
    total = 0.0
    count = 0
    for i in range(len(a)):
        total += a[i]
        count += 1
    return math.sqrt(total), count


def peak(a: dist[np.ndarray]) -> Annotated[float, reduce("self")]:
    best = a[0]
    for i in range(len(a)):
        best = max(best, a[i])
    return best


PAIRS, PEAK = somd.somd(pairs), somd.somd(peak)


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("length", [0, 1, 2, 5, 49])
def test_one_partial_for_each_part_that_is_not_empty(workers: int, length: int) -> None:
    a = np.full(length, 4.0)
    seen.clear()
    with somd.use(target="multicore", workers=workers):
        PAIRS(a)
    (partials,) = seen
    assert len(partials) == max(1, min(workers, length))
    counts = [count for _, count in partials]
    assert sum(counts) == length and max(counts) - min(counts) <= 1
    assert all(type(root) is float and root == math.sqrt(4.0 * count) for root, count in partials)


def test_one_worker_reduces_the_plain_result() -> None:
    a = np.linspace(-1.0, 2.0, 1001)
    with somd.use(target="multicore", workers=1):
        assert PEAK(a) == peak(np.array([peak(a)]))
        seen.clear()
        PAIRS(np.abs(a))
    assert seen == [[pairs(np.abs(a))]]


@pytest.mark.parametrize("target", ["multicore", "opencl"])
def test_a_function_at_a_fence_raises_for_its_caller(target: str) -> None:
    @somd.somd
    def method(a: dist[np.ndarray]) -> float:
        best = 0.0
        with sync(best, reduce=fails):
            for i in range(len(a)):
                best = best if best > a[i] else a[i]
        return best

    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    with somd.use(target=target, workers=3):
        for _ in range(2):
            with pytest.raises(KeyError, match="mine"):
                method(np.ones(9))


def test_a_fence_sees_copies_in_rank_order() -> None:
    @somd.somd
    def method(a: dist[np.ndarray]) -> int:
        last = -1
        with sync(last, reduce=noted):
            for i in range(len(a)):
                last = i if a[i] > 0 else -1
        return last

    for workers, wanted in ((1, [8]), (3, [2, 5, 8]), (50, list(range(9)))):
        seen.clear()
        with somd.use(target="multicore", workers=workers):
            assert method(np.ones(9)) == wanted[0]
        assert seen == [wanted]


def fails(partials: Sequence[float]) -> float:
    raise KeyError("mine")


def test_a_function_raises_for_its_caller() -> None:
    @somd.somd
    def method(a: dist[np.ndarray]) -> Annotated[float, reduce(fails)]:
        best = 0.0
        for i in range(len(a)):
            best = max(best, a[i])
        return best

    with pytest.raises(KeyError, match="mine"):
        method(np.ones(3))


def test_a_reduction_that_cannot_be_evaluated_is_not_lost() -> None:
    def hidden(partials: Sequence[float]) -> float:
        return partials[0]

    def method(a: dist[np.ndarray]) -> Annotated[float, reduce(hidden)]:
        best = 0.0
        for i in range(len(a)):
            best = max(best, a[i])
        return best

    with pytest.raises(somd.SomdCompileError, match="must be defined at module level"):
        somd.somd(method)


@pytest.mark.parametrize(
    ("found", "like", "wanted"),
    [
        (3, np.float32(1), np.float32(3)),
        (np.float64(2.5), 1.0, 2.5),
        (np.int64(7), np.uint8(1), np.uint8(7)),
        ([1, 2.0], (np.int8(0), 0.0), (np.int8(1), 2.0)),
        (np.True_, False, True),
    ],
)
def test_the_result_has_the_type_of_the_method(found: Any, like: Any, wanted: Any) -> None:
    result = combined(found, like)
    assert result == wanted and type(result) is type(wanted)
    if isinstance(wanted, tuple):
        assert [type(r) for r in result] == [type(w) for w in wanted]


@pytest.mark.parametrize(
    ("found", "like"), [(0.5, 1), (300, np.uint8(1)), (True, 1), (1, True), ("1", 1.0), (None, 1.0), ((1,), (1, 2))]
)
def test_another_kind_of_result_is_refused(found: Any, like: Any) -> None:
    with pytest.raises(SomdRuntimeError, match="SOMD607"):
        combined(found, like)


def combined(found: Any, like: Any) -> Any:
    def method() -> Annotated[Any, Reduce(lambda partials: found)]: ...

    method.__annotations__["return"] = Annotated[Any, Reduce(lambda partials: found)]
    combine = combine_of(method)  # type: ignore[arg-type]
    assert combine is not None
    return combine([like], ())


def test_what_a_tuple_declares() -> None:
    plus, largest = Annotated[float, reduce("+")], Annotated[float, reduce(max)]
    assert declared_reduction(tuple[plus, int]) == (Reduce("+"), None)
    assert declared_reduction(tuple[int, int]) is None
    assert not by_function(declared_reduction(tuple[plus, plus]))
    assert by_function(declared_reduction(tuple[plus, largest]))


def test_the_text_of_a_reduction_has_no_address() -> None:
    assert repr(reduce(noted, 1)) == "Reduce(tests.language.test_combining.noted, 1)"
    assert repr(reduce("+")) == "Reduce('+')"
