"""Index ranges: disjoint, in order, covering, balanced to within one trip, aligned with the step."""

from itertools import pairwise

import numba
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from somd.runtime.blocks import BLOCKS, copy_blocks, logical_blocks
from somd.runtime.multicore.partition import (
    ROW_COST,
    block_range,
    columns_shape,
    first_from,
    grid_shape,
    panels_to_share,
    parts_of_rows,
    slave_range,
    sloped_range,
    spare_parts,
    trips,
)


@numba.njit  # type: ignore[misc,untyped-decorator,unused-ignore]
def trips_in_machine_words(start: int, stop: int, step: int) -> int:
    return trips(start, stop, step)


@numba.njit  # type: ignore[misc,untyped-decorator,unused-ignore]
def range_in_machine_words(start: int, stop: int, step: int, rank: int, parts: int) -> tuple[int, int]:
    return slave_range(start, stop, step, rank, parts)


@numba.njit  # type: ignore[misc,untyped-decorator,unused-ignore]
def sloped_range_in_machine_words(
    start: int, stop: int, rank: int, parts: int, first: int, last: int, many: int
) -> tuple[int, int]:
    return sloped_range(start, stop, rank, parts, first, last, many)


@numba.njit  # type: ignore[misc,untyped-decorator,unused-ignore]
def blocks_in_machine_words(count: int, updates: int, size: int) -> tuple[int, int, int, int]:
    return logical_blocks(count, size) + copy_blocks(count, updates, size)


LIMITS = st.integers(-60, 60)
STEPS = st.integers(-7, 7).filter(bool)
PARTS = st.integers(1, 12)


def parts_of(start: int, stop: int, step: int, parts: int) -> list[list[int]]:
    ranges = [slave_range(start, stop, step, rank, parts) for rank in range(parts)]
    assert all(low <= high if step > 0 else low >= high for low, high in ranges)
    assert all(one[1] == other[0] for one, other in pairwise(ranges))
    return [list(range(low, high, step)) for low, high in ranges]


@settings(deadline=None)
@given(LIMITS, LIMITS, STEPS)
def test_trips_counts_a_range(start: int, stop: int, step: int) -> None:
    assert trips(start, stop, step) == len(range(start, stop, step))


def test_trips_and_parts_of_ranges_at_the_ends_of_64_bits() -> None:
    most, least = 2**63 - 1, -(2**63)
    assert trips_in_machine_words(most, -5, 1) == trips_in_machine_words(-1, most, -1) == 0
    assert trips_in_machine_words(-5, most, 1) == trips_in_machine_words(least, most, 1) == most
    assert trips_in_machine_words(most, least, -1) == most
    assert range_in_machine_words(most - 10, most, 4, 0, 1) == (most - 10, most)
    assert range_in_machine_words(least + 10, least, -4, 1, 2) == (least + 2, least)


@settings(deadline=None)
@given(LIMITS, LIMITS, STEPS, PARTS)
def test_slave_ranges_join_to_the_range(start: int, stop: int, step: int, parts: int) -> None:
    shares = parts_of(start, stop, step, parts)
    assert [value for share in shares for value in share] == list(range(start, stop, step))
    lengths = [len(share) for share in shares]
    assert max(lengths) - min(lengths) <= 1


@settings(deadline=None)
@given(LIMITS, LIMITS, STEPS, st.integers(1, 40))
def test_blocks_join_to_the_range(start: int, stop: int, step: int, quantum: int) -> None:
    blocks, length = logical_blocks(trips(start, stop, step), quantum)
    joined: list[int] = []
    for block in range(blocks):
        low, high = block_range(start, stop, step, block, length)
        own = list(range(low, high, step))
        assert own and (len(own) == length or block == blocks - 1)
        joined += own
    assert joined == list(range(start, stop, step))
    assert length % quantum == 0


@settings(deadline=None)
@given(st.integers(0, 10**15), st.sampled_from((1, 32)))
def test_number_of_blocks_is_bounded(count: int, quantum: int) -> None:
    blocks, length = logical_blocks(count, quantum)
    assert 0 <= blocks <= BLOCKS
    assert (blocks - 1) * length < count <= blocks * length or count == blocks == 0


@settings(deadline=None)
@given(*[st.integers(0, 10**12) | st.integers(0, 5000)] * 2, st.integers(1, 10**4))
def test_blocks_are_the_same_in_machine_words(count: int, updates: int, size: int) -> None:
    same = (*logical_blocks(count, size), *copy_blocks(count, updates, size))
    assert blocks_in_machine_words(count, updates, size) == same


@settings(deadline=None)
@given(LIMITS, LIMITS, st.integers(1, 7))
def test_first_from_is_aligned(low: int, start: int, step: int) -> None:
    assert first_from(low, start, step) == next(v for v in range(start, 200, step) if v >= low)


@settings(deadline=None)
@given(PARTS, st.integers(0, 20), st.integers(0, 20))
def test_a_grid_has_no_more_cells_than_parts(parts: int, rows: int, columns: int) -> None:
    for down, across in (grid_shape(parts, rows, columns), columns_shape(parts, rows, columns, 4, 3)):
        assert down >= 1 and across >= 1
        assert down * across <= parts
        assert down == 1 or down <= rows
        assert across == 1 or across <= columns


def test_few_rows_of_a_product_are_cut_by_columns_where_there_are_enough() -> None:
    shapes = [columns_shape(parts, rows, 1000, 96, 32) for parts, rows in ((2, 64), (2, 1000), (16, 1000), (7, 300))]
    assert shapes == [(1, 2), (2, 1), (8, 2), (1, 7)]
    assert columns_shape(8, 300, 100, 96, 32) == (2, 3) and columns_shape(8, 300, 32, 96, 32) == (8, 1)


def test_panels_for_all_are_those_of_all_columns_or_none() -> None:
    assert panels_to_share(10, 10, 65, 32, 7) == 3 and panels_to_share(11, 10, 65, 32, 7) == 0
    assert [panels_to_share(rows, 10, columns, 32, 7) for rows, columns in ((0, 5), (5, 0), (5, -3))] == [0, 0, 0]
    assert panels_to_share(1, 1 << 62, 1 << 62, 32, 1 << 62) == panels_to_share(1, 9, 1 << 20, 32, 33) == 0


def test_spare_parts_are_not_too_small() -> None:
    assert [spare_parts(1000, workers, 30) for workers in (1, 3, 4, 16, 50)] == [1, 3, 16, 33, 50]
    assert spare_parts(0, 7, 1) == 7


@settings(max_examples=200, deadline=None)
@given(st.integers(-9, 9), st.integers(0, 500), PARTS, st.integers(-2, 10**12), st.integers(-2, 10**12))
def test_sloped_parts_are_disjoint_and_cover(start: int, count: int, parts: int, first: int, last: int) -> None:
    shares = [sloped_range(start, start + count, rank, parts, first, last, 6) for rank in range(parts)]
    assert shares[0][0] == start and shares[-1][1] == start + count
    assert all(one[0] <= one[1] == other[0] for one, other in pairwise(shares))
    assert sloped_range_in_machine_words(start, start + count, parts - 1, parts, first, last, 6) == shares[-1]


def test_sloped_parts_cost_the_same() -> None:
    for count, parts, first, last in ((1200, 2, 1200, 1), (1200, 7, 1, 1200), (900, 3, 900, 300)):
        shares = [sloped_range(0, count, rank, parts, first, last, 6) for rank in range(parts)]
        costs = [sum(first + (last - first) * k / count for k in range(*share)) for share in shares]
        assert max(costs) < 1.06 * min(costs) and all(low % 6 == 0 for low, _ in shares)
    sizes = [high - low for low, high in (sloped_range(0, 2**40, rank, 5, 2**40, 0, 6) for rank in range(5))]
    assert sum(sizes) == 2**40 and max(sizes) - min(sizes) <= 1
    assert sloped_range(5, 3, 0, 2, 7, 1, 6) == sloped_range(5, 3, 1, 2, 7, 1, 6) == (5, 5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 200), max_size=40), st.integers(-3, 45), st.integers(-3, 45), PARTS)
def test_parts_of_rows_are_disjoint_and_cover(pointers: list[int], start: int, stop: int, parts: int) -> None:
    stop = max(start, stop)
    ends = parts_of_rows(np.array(pointers, np.int64), start, stop, parts)
    assert len(ends) == parts + 1 and (ends[0], ends[-1]) == (start, stop)
    assert (np.diff(ends) >= 0).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 2, 40, 1000]), min_size=1, max_size=60), PARTS)
def test_no_part_of_rows_costs_more_than_its_share_and_a_row(lengths: list[int], parts: int) -> None:
    pointers = np.concatenate([[7], 7 + np.cumsum(lengths)])
    ends = parts_of_rows(pointers, 0, len(lengths), parts)
    costs = [sum(lengths[a:b]) + ROW_COST * (b - a) for a, b in pairwise(ends)]
    assert max(costs) <= sum(costs) / parts + max(lengths) + ROW_COST
