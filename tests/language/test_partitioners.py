from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from somd.errors import SomdRuntimeError
from somd.language.partitioners import (
    Block,
    BlockBlock,
    ByKey,
    Chunked,
    Cyclic,
    Partitioner,
    Weighted,
    validate_partition,
)

LENGTHS = st.integers(0, 60)
PARTS = st.integers(1, 12)


def widths(ranges: list[tuple[int, int]]) -> list[int]:
    return [stop - start for start, stop in ranges]


@given(LENGTHS, PARTS)
def test_block_is_balanced_to_within_one(length: int, parts: int) -> None:
    ranges = Block()(np.zeros(length), parts)
    validate_partition(ranges, length, "a")
    assert len(ranges) == max(1, min(parts, length))
    assert max(widths(ranges)) - min(widths(ranges)) <= 1


@given(LENGTHS, PARTS, st.integers(1, 9))
def test_all_cover(length: int, parts: int, size: int) -> None:
    array = np.arange(length)
    partitioners: list[Partitioner] = [Cyclic(size), Chunked(size), Chunked(per_part=size), ByKey(), Weighted()]
    for partitioner in partitioners:
        ranges = partitioner(array, parts)
        validate_partition(ranges, length, "a")
        assert len(ranges) >= 1
        flat = [entry for part in ranges for entry in (part if isinstance(part, list) else [part])]
        assert length == 0 or all(start < stop for start, stop in flat)


@given(LENGTHS, PARTS, st.integers(1, 9))
def test_cyclic_deals_in_turn(length: int, parts: int, chunk: int) -> None:
    dealt = Cyclic(chunk)(np.zeros(length), parts)
    owner = {i: rank for rank, ranges in enumerate(dealt) for start, stop in ranges for i in range(start, stop)}
    assert owner == {i: i // chunk % parts for i in range(length)}


def test_chunked_makes_more_parts_than_workers() -> None:
    assert len(Chunked()(np.zeros(100), 3)) == 12
    assert widths(Chunked(30)(np.zeros(100), 3)) == [30, 30, 30, 10]


@given(st.integers(0, 20), st.integers(0, 20), PARTS)
def test_block_block_covers_every_element_once(rows: int, columns: int, parts: int) -> None:
    array = np.zeros((rows, columns), dtype=int)
    row_ranges, column_ranges = BlockBlock().grid((rows, columns), parts)
    validate_partition(row_ranges, rows, "a")
    validate_partition(column_ranges, columns, "a")
    assert len(row_ranges) * len(column_ranges) <= parts
    for (top, bottom), (left, right) in BlockBlock()(array, parts):
        array[top:bottom, left:right] += 1
    assert (array == 1).all()


@given(st.lists(st.integers(0, 9)), PARTS)
def test_by_key_keeps_sorted_keys_together(unsorted: list[int], parts: int) -> None:
    keys = np.array(sorted(unsorted), dtype=np.int64)
    ranges = ByKey()(keys, parts)
    validate_partition(ranges, len(keys), "row")
    assert len(ranges) <= parts
    assert all(keys[before[1] - 1] != keys[after[0]] for before, after in pairwise(ranges))
    assert len(ranges) >= min(parts, len(set(unsorted)), 2)


@given(st.lists(st.integers(0, 4)), PARTS)
def test_by_key_never_shares_a_key_between_parts(values: list[int], parts: int) -> None:
    keys = np.array(values, dtype=np.int32)
    cuttable = any(not set(values[:cut]) & set(values[cut:]) for cut in range(1, len(values)))
    if parts > 1 and len(set(values)) > 1 and not cuttable:
        with pytest.raises(ValueError, match="ByKey: key"):
            ByKey()(keys, parts)
        return
    ranges = ByKey()(keys, parts)
    validate_partition(ranges, len(keys), "row")
    owned = [set(values[start:stop]) for start, stop in ranges]
    assert sum(map(len, owned)) == len(set(values))


def test_by_key_takes_grouped_falling_and_text_keys() -> None:
    assert ByKey()(np.array([1, 0, 1, 0, 3, 2, 3, 2]), 2) == [(0, 4), (4, 8)]
    assert ByKey()(np.array([3, 3, 2, 2]), 2) == [(0, 2), (2, 4)]
    assert ByKey()(np.array(["b", "b", "a"]), 2) == [(0, 2), (2, 3)]


def test_by_key_names_the_key_that_returns() -> None:
    with pytest.raises(ValueError, match=r"key 7 returns: it is found at index 0 and again at 3"):
        ByKey()(np.array([7, 8, 8, 7]), 2)
    with pytest.raises(ValueError, match="one-dimensional"):
        ByKey()(np.zeros((2, 2)), 2)


@given(st.lists(st.integers(0, 50), max_size=60), PARTS)
def test_weighted_balances_costs(values: list[int], parts: int) -> None:
    costs = np.array(values, dtype=np.int64)
    ranges = Weighted(values)(np.zeros(len(values)), parts)
    validate_partition(ranges, len(values), "row")
    assert len(ranges) <= parts
    if sum(values) > 0:
        share = sum(values) / parts
        assert max(costs[start:stop].sum() for start, stop in ranges) <= share + costs.max() + 1e-9


def test_weighted_takes_costs_from_the_array_or_a_function() -> None:
    array = np.array([4, 1, 1, 1, 1])
    assert Weighted()(array, 2) == [(0, 1), (1, 5)]
    assert Weighted(lambda a: np.ones(len(a)))(array, 5) == [(i, i + 1) for i in range(5)]
    assert Weighted()(np.zeros(4), 2) == [(0, 2), (2, 4)]


@pytest.mark.parametrize("costs", [[1.0], [1.0, -1.0], [1.0, float("nan")], [[1.0, 2.0]]])
def test_weighted_refuses_bad_costs(costs: list[float]) -> None:
    with pytest.raises(ValueError, match="Weighted"):
        Weighted(costs)(np.zeros(2), 2)


def test_numbers_must_be_positive() -> None:
    for make in (lambda: Cyclic(0), lambda: Chunked(0), lambda: Chunked(per_part=0), lambda: Block()(np.zeros(3), 0)):
        with pytest.raises(ValueError, match="must be 1 or more"):
            make()


@pytest.mark.parametrize(
    ("ranges", "text"),
    [
        ([(0, 3), (2, 5)], r"\(2, 5\) is out of order or overlaps"),
        ([(3, 5), (0, 3)], r"no part has the indexes 0\.\.2"),
        ([(0, 2), (3, 5)], r"no part has the indexes 2\.\.2"),
        ([(0, 4)], r"no part has the indexes 4\.\.4"),
        ([(0, 6)], r"\(0, 6\) does not lie inside 0\.\.5"),
        ([(-1, 5)], "does not lie inside"),
        ([(0, 9), (9, 9)], "does not lie inside"),
        ([(2, 0), (0, 5)], "does not lie inside"),
        ([], r"no part has the indexes 0\.\.4"),
        ([(0, 2.5)], r"expected \(start, stop\) in whole numbers, got \(0, 2.5\)"),
        ([(0, 2, 5)], "expected"),
        ([5], "expected"),
        ([[(3, 5), (0, 2)], [(2, 3)]], "in one part"),
        ([[(0, 1), (2, 3)], [(1, 2)]], r"no part has the indexes 3\.\.4"),
    ],
)
def test_a_wrong_partition_is_refused(ranges: list[object], text: str) -> None:
    with pytest.raises(SomdRuntimeError, match=f"partitioner of 'row' is wrong: .*{text}"):
        validate_partition(ranges, 5, "row")


def test_a_right_partition_is_accepted() -> None:
    validate_partition([(0, 0), (0, 3), (3, 3), (3, 5)], 5, "row")
    validate_partition([[0, 3], np.array([3, 5])], 5, "row")
    validate_partition([[(0, 1), (2, 5)], [(1, 2)], []], 5, "row")
    validate_partition([], 0, "row")
