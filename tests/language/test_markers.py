import os
import subprocess
import sys
from typing import Annotated, Any

import numpy as np
import pytest

from somd.language.markers import (
    Dim,
    Dist,
    Like,
    Partition,
    Polyview,
    Reduce,
    Shared,
    View,
    dim,
    dist,
    like,
    markers_of,
    partition,
    polyview,
    reduce,
    shared,
    single,
    sync,
    view,
)
from somd.language.partitioners import Chunked, Cyclic


@pytest.mark.parametrize(
    ("annotation", "plain", "markers"),
    [
        (int, int, ()),
        (None, None, ()),
        (dist[np.ndarray], np.ndarray, (Dist(),)),
        (shared[float], float, (Shared(),)),
        (Annotated[np.ndarray, dist], np.ndarray, (Dist(),)),
        (Annotated[np.ndarray, shared, "another tool's"], np.ndarray, (Shared(),)),
        (Annotated[np.ndarray, dist, dim(0), partition(Cyclic)], np.ndarray, (Dist(), Dim((0,)), Partition(Cyclic()))),
        (Annotated[dist[np.ndarray], like("row")], np.ndarray, (Dist(), Like("row"))),
        (dist[Annotated[np.ndarray, dim(0, 1)]], np.ndarray, (Dim((0, 1)), Dist())),
        (Annotated[float, reduce("+")], float, (Reduce("+"),)),
        (Annotated[int, np.zeros(3)], int, ()),
        (dist, Any, (Dist(),)),
    ],
)
def test_markers_of(annotation: object, plain: object, markers: tuple[object, ...]) -> None:
    assert markers_of(annotation) == (plain, markers)


def test_a_marker_without_its_arguments_is_named() -> None:
    with pytest.raises(TypeError, match=r"marker polyview needs arguments: polyview\(\.\.\.\)"):
        markers_of(Annotated[np.ndarray, dist, polyview])


def test_arguments_are_kept_in_plain_types() -> None:
    assert dim(np.int64(1)).axes == (1,) and type(dim(np.int64(1)).axes[0]) is int  # type: ignore[arg-type]
    assert view((1, 1), (0, 2)) == View(((1, 1), (0, 2)))
    assert polyview((1, 1)) == Polyview(((1, 1),)) != view((1, 1))
    assert partition(Chunked(8)).partitioner == Chunked(8)
    assert partition(Chunked).partitioner == Chunked()
    assert reduce(sorted, 1, "x") == Reduce(sorted, (1, "x"))
    assert len({dim(0), dim(0), like("a"), view((1, 1)), reduce("min")}) == 4


class NeedsArguments:
    def __init__(self, size: int) -> None: ...


MISTAKES: list[tuple[Any, type[Exception], str]] = [
    (lambda: dim(), ValueError, r"dim\(\) needs at least one axis"),
    (lambda: dim(-1), ValueError, "dim.*may not be negative"),
    (lambda: dim(0, 0), ValueError, "dim.*named twice"),
    (lambda: dim(0.5), TypeError, "dim.*must be an int, got 0.5"),
    (lambda: dim(True), TypeError, "dim.*must be an int, got True"),
    (lambda: partition(3), TypeError, r"partition\(3\): a partitioner is a callable"),
    (lambda: partition(NeedsArguments), TypeError, r"partition\(NeedsArguments\): give it its arguments"),
    (lambda: partition(object), TypeError, "partition.*callable"),
    (lambda: like(3), TypeError, r"like\(3\)"),
    (lambda: like("a b"), ValueError, "like.*not a name"),
    (lambda: like("for"), ValueError, "like.*not a name"),
    (lambda: view(), ValueError, r"view\(\) needs a"),
    (lambda: view(1, 1), TypeError, r"view\(\): expected a \(low, high\) pair"),
    (lambda: view((1, 1, 1)), TypeError, r"view\(\): expected"),
    (lambda: view((1, "1")), TypeError, r"view\(\): a width must be an int"),
    (lambda: polyview((-1, 1)), ValueError, r"polyview\(\): .* negative width"),
    (lambda: reduce("plus"), ValueError, r"reduce: no reduction 'plus'; there are \+"),
    (lambda: reduce(3), TypeError, "reduce: 3 is neither"),
    (lambda: reduce("+", 1), TypeError, "only a function takes further arguments"),
    (lambda: sync(1, reduce="self"), ValueError, "sync: no reduction 'self'"),
    (lambda: sync(reduce="+"), TypeError, "sync.*names no variable"),
    (lambda: sync(1, relaxed=1), TypeError, "sync.*expected True or False"),
]


@pytest.mark.parametrize(("make", "kind", "text"), MISTAKES)
def test_mistakes_are_named(make: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make()


def test_sync_and_single_do_nothing_in_plain_python() -> None:
    x = 0.0
    for block in (sync, single, sync(x, reduce="+"), sync(x, reduce=sum, relaxed=True), sync(relaxed=True)):
        with block, block:
            x += 1
        with pytest.raises(ZeroDivisionError), block:
            1 / 0
    assert x == 5 and repr(sync) == "sync" and repr(single) == "single"


def test_import_is_light() -> None:
    code = "import sys, somd.language.markers; print(*{'numba', 'libcst', 'islpy', 'pyopencl'} & set(sys.modules))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == ""
