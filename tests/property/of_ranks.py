"""What a call does on ranks, which are threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

import somd
from somd.runtime.mpi import addresses, distributed, making, returned
from somd.runtime.multicore import far_arrays, ranked_arrays
from tests.differential.harness import duplicate
from tests.property.calls import Call
from tests.property.outcomes import Outcome
from tests.runtime.mpi import threads

#: seconds that a rank waits for one that compiles
PATIENCE = 150
#: bytes of the largest array that is whole on all ranks, where small ones are to stay distributed
TINY = 8


@contextmanager
def staying() -> Iterator[None]:
    """A block in which small arrays stay distributed, too; from the first array on that ranks make in this process."""
    with ExitStack() as stack:
        for module in (addresses, making, returned, far_arrays, ranked_arrays):
            stack.enter_context(patch.object(module, "SMALL", TINY))
        yield


def outcomes_of_ranks(method: Callable[..., Any], given: Call, target: str, size: int) -> list[Outcome]:
    """What each rank finds, with two workers: all of them begin with arguments that are alike, arrays of which each
    holds a part where small ones stay."""

    def of_rank(_: int) -> Outcome:
        own = duplicate(given.arguments)
        shared = _scattered(own) if addresses.SMALL == TINY else own
        with somd.use(target=target, workers=2, small_work=0), np.errstate(all="ignore"):
            error = result = None
            try:
                result = method(*shared)
            except Exception as raised:
                error = raised
        for mine, theirs in zip(own, shared, strict=True):
            if mine is not theirs:
                mine[...] = theirs
        whole = {id(theirs): mine for mine, theirs in zip(own, shared, strict=True)}
        return Outcome(_gathered(result, whole), own, error)

    with patch.object(threads, "PATIENCE", PATIENCE):
        found = threads.on_ranks(size, of_rank)
    return [each if isinstance(each, Outcome) else Outcome(None, given.arguments, each) for each in found]


def _scattered(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values with arrays in C order that no view is of as distributed ones; what is one array stays one."""
    viewed = {id(each.base) for each in values if isinstance(each, np.ndarray)}
    made: dict[int, Any] = {}
    for each in values:
        plain = type(each) is np.ndarray and each.ndim > 0 and each.base is None and each.flags.c_contiguous
        if plain and each.flags.writeable and id(each) not in viewed and id(each) not in made:
            made[id(each)] = somd.scatter(each)
    return tuple(made.get(id(each), each) for each in values)


def _gathered(value: Any, whole: dict[int, Any]) -> Any:
    """A result with NumPy's arrays in place of distributed ones, of arguments those that are compared as such."""
    if isinstance(value, tuple):
        return tuple(_gathered(each, whole) for each in value)
    if type(value) is distributed.DistributedArray:
        return whole[id(value)] if id(value) in whole else np.array(value)
    return whole.get(id(value), value)
