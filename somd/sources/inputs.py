"""Inputs for a method: generated for its argument types, or those that the user's file gives.

In: parameters with their types, or a name of the module. Out: argument tuples. Generated arrays are random but the same
for a seed; what indexes an array holds indexes, and a scalar integer is the length of the arrays unless that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from somd.capture.reach import Reach
from somd.sources.load import Loaded, Method, function_of
from somd.sources.problems import FileProblem
from somd.transforms.types.scalars import ArrayType, ScalarType, Type

#: lengths of generated arrays, by their greatest number of dimensions
LENGTHS = {0: (1,), 1: (0, 1, 2, 7, 131), 2: (0, 1, 2, 5, 23)}
LONG = (0, 1, 2, 7)
Arguments = tuple[Any, ...]


def generated(
    types: Mapping[str, Type], indexing: Iterable[str], seed: int, lengths: Sequence[int] | None = None
) -> Iterator[tuple[Arguments, ...]]:
    """For each length several tries, the most natural first: a caller takes the first that the function can run."""
    deepest = max((kind.ndim for kind in types.values() if isinstance(kind, ArrayType)), default=0)
    for length in lengths or LENGTHS.get(deepest, LONG):
        tries = [(length, 0), (max(length - 1, 0), 0), (min(length, 2), 0), (length, 1), (1, 1), (0, 0)]
        yield tuple(
            _arguments(types, set(indexing), length, number, longer, ordered, seed)
            for number, longer in dict.fromkeys(tries)
            for ordered in (False, True)
        )


def _arguments(
    types: Mapping[str, Type], indexing: set[str], length: int, number: int, longer: int, ordered: bool, seed: int
) -> Arguments:
    """Arrays are `length` long, those that index `longer` by so many, and sorted if `ordered`."""
    generator = np.random.default_rng([seed, length])
    made: list[Any] = []
    for name, kind in types.items():
        if isinstance(kind, ArrayType):
            more = longer if name in indexing else 0
            array = _array(generator, kind, length + more, max(length, 1) if name in indexing else None)
            made.append(np.sort(array, axis=0) if ordered and name in indexing else array)
        else:
            assert isinstance(kind, ScalarType)
            made.append(_scalar(generator, kind, number))
    return tuple(made)


def _array(generator: np.random.Generator, kind: ArrayType, length: int, below: int | None) -> Any:
    shape, dtype = (length,) * kind.ndim, np.dtype(kind.dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low = 0 if below is not None or dtype.kind == "u" else -9
        return generator.integers(low, 10 if below is None else below, shape).astype(dtype)
    values = generator.uniform(0.1, 2.0, shape)
    return (
        (values + 1j * generator.uniform(0.1, 2.0, shape)).astype(dtype) if dtype.kind == "c" else values.astype(dtype)
    )


def _scalar(generator: np.random.Generator, kind: ScalarType, number: int) -> Any:
    values: dict[str, Any] = {"b": True, "i": number, "u": number, "f": float(generator.uniform(0.1, 2.0))}
    value = values.get(kind.kind, complex(0.5, float(generator.uniform(0.1, 2.0))))
    return value if kind.weak else np.dtype(kind.dtype).type(value)


def indexing_parameters(method: Method, found: Reach) -> frozenset[str]:
    """The parameters whose values stand in indexes."""
    from somd.transforms.pipeline import front
    from somd.transforms.plan.context import names_in_indexes

    return frozenset(names_in_indexes(front(function_of(method), found)))


def given(loaded: Loaded, name: str, method: Method) -> Iterator[Arguments]:
    """The inputs that `name` of the user's module gives: a tuple of arguments, a list of such (or of dicts of them), or
    a function that returns one.

    Raises:
        FileProblem: there is no such name, it raises, or gives something else.
    """
    file = str(loaded.path)
    value: Any = vars(loaded.module)
    for part in name.split("."):
        value = value.get(part, _MISSING) if isinstance(value, dict) else getattr(value, part, _MISSING)
        if value is _MISSING:
            raise FileProblem(file, f"no `{name}` in this file, which is to give the inputs")
    try:
        found = value() if callable(value) else value
        cases = [found] if isinstance(found, tuple | dict) and not _is_cases(found) else list(found)
    except Exception as error:
        raise FileProblem(file, f"`{name}`, which is to give inputs, raised {type(error).__name__}: {error}") from None
    names = function_of(method).__code__.co_varnames[: function_of(method).__code__.co_argcount]
    for case in cases:
        if isinstance(case, Mapping):
            case = tuple(case[each] for each in names if each in case)
        if not isinstance(case, tuple | list):
            case = (case,)
        yield tuple(case)
    if not cases:
        raise FileProblem(file, f"`{name}` gives no inputs")


def _is_cases(found: Any) -> bool:
    return isinstance(found, tuple) and bool(found) and all(isinstance(each, tuple) for each in found)


_MISSING = object()
