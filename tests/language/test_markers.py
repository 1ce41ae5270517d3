import copy
import inspect
import os
import pickle
import subprocess
import sys
from typing import Annotated, Any, Optional, get_args

import numpy as np
import pytest

from somd.language.markers import (
    Dim,
    Dist,
    Like,
    Mistake,
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
    plain, (_, mistake) = markers_of(Annotated[np.ndarray, dist, polyview])
    wanted = Mistake("the marker `polyview` needs arguments", ("write it like `polyview((1, 1), (1, 1))`",))
    assert plain is np.ndarray and mistake == wanted


def test_aliases_and_makers_are_what_they_are_called() -> None:
    for each in (dist, shared, dim, like, partition, polyview, reduce, view):
        assert pickle.loads(pickle.dumps(each)) is each and copy.deepcopy(each) is each
    assert repr((dist, dim)) == "(dist, dim)" and inspect.signature(dim).return_annotation is Dim
    found = [get_args(dist | None)[0], get_args(None | dist)[1], get_args(Optional[dist])[0]]  # type: ignore[operator]
    assert [markers_of(each) for each in found] == [(Any, (Dist(),))] * 3


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


MISTAKES: list[tuple[Any, str]] = [
    (lambda: dim(), "`dim()` needs at least one axis"),
    (lambda: dim(-1), "`dim(-1)`: axes count from 0, as NumPy's do, and may not be negative"),
    (lambda: dim(0, 0), "`dim(0, 0)`: an axis is named twice"),
    (lambda: dim(0.5), "`dim(0.5)`: an axis must be an int, got 0.5"),
    (lambda: dim(True), "`dim(True)`: an axis must be an int, got True"),
    (lambda: dim[0], "the marker `dim` takes its arguments in parentheses"),
    (lambda: partition(3), "`partition(3)`: a partitioner is a callable"),
    (lambda: partition(NeedsArguments), "`partition(NeedsArguments)`: give it its arguments"),
    (lambda: partition(object), "a partitioner is a callable"),
    (lambda: like(3), "`like(3)`: expected the name of a distributed value, as a string"),
    (lambda: like("a b"), "`like('a b')`: that is not a name"),
    (lambda: like("for"), "`like('for')`: that is not a name"),
    (lambda: view(), "`view()` needs a (low, high) pair for each axis"),
    (lambda: view(1, 1), "`view` takes a (low, high) pair for each axis, not 1"),
    (lambda: view((1, 1, 1)), "`view` takes a (low, high) pair for each axis, not (1, 1, 1)"),
    (lambda: view((1, "1")), "`view`: a width must be an int, got '1'"),
    (lambda: polyview((-1, 1)), "`polyview`: (-1, 1) has a negative width"),
    (lambda: reduce("plus"), "there is no reduction 'plus'"),
    (lambda: reduce(3), "`reduce`: 3 is neither an operator in quotes, such as '+', nor a function"),
    (lambda: reduce("+", 1), "`reduce('+', ...)`: only a function takes further arguments"),
    (lambda: reduce(np.maximum), "`np.maximum` takes 2 values, and a reduction is given one list of them"),
    (lambda: reduce(), "reduce() missing 1 required positional argument: 'operation'"),
    (lambda: reduce["+"], "the marker `reduce` takes its arguments in parentheses"),
    (lambda: dist[3], "`dist[...]` takes a type, not `3`"),
    (lambda: dist[dim(0)], "`dist[...]` takes a type, not a marker"),
    (lambda: dist[np.ndarray, 3], "`dist[...]` takes one type"),
    (lambda: dist[()], "`dist[...]` takes one type"),
    (lambda: dist(np.ndarray), "`dist` takes its type in brackets"),
    (lambda: shared[0.0], "`shared[...]` takes a type, not `0.0`"),
]


@pytest.mark.parametrize(("make", "text"), MISTAKES)
def test_mistakes_are_named(make: Any, text: str) -> None:
    """Written in an annotation, nothing of it raises; the compiler is told."""
    _, found = markers_of(Annotated[np.ndarray, make()])
    [mistake] = [each for each in found if isinstance(each, Mistake)]
    assert text in mistake.message and mistake.helps


def test_mistakes_in_brackets_are_all_told() -> None:
    _, found = markers_of(dist[np.ndarray, dim("x"), like(3)])  # type: ignore[misc]
    assert [type(each) for each in found] == [Dist, Mistake, Mistake, Mistake]
    assert found[1].helps == ("write `Annotated[np.ndarray, dist, ..., ...]`",)
    assert markers_of(shared[float, view((1, 1)), dim(0)])[1][1].helps == (
        "write `Annotated[float, shared, view((1, 1)), dim(0)]`",
    )


WORDS = {"plus": "+", "summ": "+", "Product": "*", "maximun": "max", "minimum": "min", "logical_and": "and", "^^": "^"}


@pytest.mark.parametrize("word", WORDS)
def test_operators_that_are_meant(word: str) -> None:
    made: Any = reduce(word)  # type: ignore[arg-type]
    assert made.helps[0] == f'did you mean `"{WORDS[word]}"`?'


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: sync(1, reduce="self"), ValueError, "there is no reduction 'self'"),
        (lambda: sync(reduce="+"), TypeError, "sync.*names no variable"),
        (lambda: sync(1, relaxed=1), TypeError, "sync.*expected True or False"),
    ],
)
def test_mistakes_of_sync(make: Any, kind: type[Exception], text: str) -> None:
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
