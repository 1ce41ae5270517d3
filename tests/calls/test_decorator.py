"""`@somd` by either import, and what stands beside it."""

from __future__ import annotations

import inspect
import pickle

import numpy as np

import somd as package
from somd import dist, somd

A = dist[np.ndarray]


@somd
def by_name(a: A) -> None:
    for i in range(len(a)):
        a[i] += 1.0


@package  # type: ignore[operator]
def by_package(a: A) -> None:
    for i in range(len(a)):
        a[i] += 2.0


@package(workers=2)  # type: ignore[operator,untyped-decorator]
def with_options(a: A) -> None:
    for i in range(len(a)):
        a[i] += 4.0


def test_either_import_marks_and_sets() -> None:
    a = np.zeros(5)
    with somd.use(workers=3, small_work=0):
        by_name(a)
    with package.use(workers=3, small_work=0):
        by_package(a)
        with_options(a)
    assert a.tolist() == [7.0] * 5
    assert type(by_package) is type(by_name) is package.SomdMethod


def test_what_stands_beside_the_decorator() -> None:
    assert somd.use is package.use
    assert somd.targets() == package.targets()
    assert somd.to_device is package.to_device


def test_the_decorator_is_one_object_that_tells_what_it_takes() -> None:
    assert pickle.loads(pickle.dumps(somd)) is somd is package.somd
    assert list(inspect.signature(somd).parameters) == ["function", "target", "workers", "signatures", "fastmath"]
