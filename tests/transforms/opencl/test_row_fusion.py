"""Phases that go over the same rows, which a kernel runs together: the bits of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd.runtime.opencl import Device, watch_launches, workgroups
from somd.runtime.opencl.local_room import KEPT_BACK
from somd.transforms.arrays.leaf_lines import CHUNK
from tests.differential import harness
from tests.transforms.opencl.running import code_of
from tests.transforms.opencl.test_packed import numbers

of_whole_rows = pytest.mark.skipif(CHUNK is not None, reason="this NumPy adds up long rows in parts, one by one")


@somd.somd
def shares(x: np.ndarray) -> np.ndarray:
    """The squares of distances from the largest of each row, as shares of their sum."""
    e = (x - x.max(axis=1, keepdims=True)) ** 2
    return e / e.sum(axis=1, keepdims=True)


@pytest.fixture
def with_groups(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups run rows that need no more than 100 bytes of local memory."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "OF_A_ROW_FOUND", quick_device.info.local_memory - KEPT_BACK - 100)
    return quick_device


@pytest.mark.usual(2)
def test_the_bits_are_those_of_plain_python(with_groups: Device) -> None:
    odd = numbers(9, 300) - 1.5
    odd[0, 5], odd[1], odd[2], odd[3, ::7] = np.nan, -0.0, np.where(np.arange(300) % 2, 0.0, -0.0), 0.0
    odd[4, 3], odd[5], odd[6], odd[7, 299], odd[8, :2] = np.inf, np.inf, -np.inf, np.nan, (-0.0, 0.0)
    with somd.use(device=f"{with_groups.info.platform}:{with_groups.index}"), watch_launches() as seen:
        for given in (numbers(5, 129), numbers(1, 1000), odd, numbers(3, 100), numbers(2, 4000), numbers(0, 300)):
            harness.check(shares, (given,), "opencl", workers=(1,))
    names = [name for name, _ in seen]
    if CHUNK is not None:
        return  # this NumPy adds up long rows in parts, one by one
    assert names.count("shares_1_rows") == 3  # rows of 100 are short, and of 4000 want more memory
    assert names.count("shares_5") == 2


def kept(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(axis=1))[:, None]


def of_other_rows(x: np.ndarray) -> np.ndarray:
    e = x / x.max(axis=1, keepdims=True)
    return e[1:] - e[:-1] * e.max(axis=1)[:-1, None]


def down_columns(x: np.ndarray) -> np.ndarray:
    e = x - x.max(axis=0)
    return e / e.max(axis=0)


def product(x: np.ndarray) -> np.ndarray:
    return x.T @ x / (len(x) - 1.0)


def in_place(x: np.ndarray) -> None:
    x /= x.max(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("function", "number"),
    [pytest.param(kept, 1, marks=of_whole_rows), (of_other_rows, 1), (down_columns, 0), (product, 0), (in_place, 0)],
)
def test_what_goes_together(function: object, number: int) -> None:
    """Phases that touch other rows, an array of the caller's, or all of a matrix for each row, stay apart."""
    code = code_of(function, np.ones((4, 300)))  # type: ignore[arg-type]
    assert sum(name.endswith("_rows") for name in code.kernel_names) == number


@of_whole_rows
def test_work_items_have_an_accumulator_each_of_those_side_by_side() -> None:
    text = code_of(kept, np.ones((4, 300))).kernels.partition("_rows(")[2]
    assert "lane / 8;" in text and text.count("found[lane - own_ + ") == 8
