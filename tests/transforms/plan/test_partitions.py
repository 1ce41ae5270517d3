"""Which partitioners cut which loops: `tests/language/partitioners.py` has programs that run."""

from typing import Annotated

import numpy as np
import pytest

from somd import ByKey, SomdCompileError, dist, partition, somd

Keys = Annotated[np.ndarray, dist, partition(ByKey)]


def changed_before(key: Keys, y: np.ndarray) -> None:
    for i in range(len(key)):
        key[i] //= 2
    for i in range(len(key)):
        y[key[i]] += 1.0


def changed_as_a_part(key: Keys, y: np.ndarray) -> None:
    part = key[::-1]
    part[...] = 0
    for i in range(len(key)):
        y[key[i]] += 1.0


def test_keys_that_are_changed_promise_nothing() -> None:
    for function in (changed_before, changed_as_a_part):
        told = somd(function).explain()
        assert "in order" in told and "the loop relies on the partition of `key`, which cannot cut it" in told


def exchanged(key: Keys, other: np.ndarray, y: np.ndarray) -> None:
    key, other = other, key
    for i in range(len(key)):
        y[key[i]] += 1.0


def test_other_arrays_of_the_name_have_other_keys() -> None:
    with pytest.raises(SomdCompileError, match="relies on the partition of `key`"):
        somd(exchanged).explain()


def two_arrays(key: Keys, other: dist[np.ndarray], y: np.ndarray) -> None:
    for i in range(len(other)):
        other[i] = 0
    for i in range(len(key)):
        y[key[i]] += 1.0


def test_a_call_may_give_the_keys_twice() -> None:
    method, keys, y = somd(two_arrays), np.arange(4) % 2, np.zeros(2)
    assert "partition: that of `key`" in method.explain()
    method(keys, keys, y)
    assert y.tolist() == [4.0, 0.0]
