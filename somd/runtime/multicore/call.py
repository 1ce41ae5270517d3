"""Runs a generated multicore module: threads, faults, and the types of results.

In: the module, the arguments and the number of method instances. Out: what the function as written would return, or the
list of partial results where they are reduced by a function.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import numba as _numba
import numpy as np

from somd.combining import Join
from somd.runtime.cutting import cut
from somd.runtime.faults import index_error
from somd.runtime.multicore.fences import Functions
from somd.runtime.multicore.guards import INDEX, SITE, fault_table, first_fault

numba: Any = _numba
_workqueue = threading.RLock()


class MulticoreCall:
    """A loaded module, ready to be called with arguments of its signature.

    `partitioners` has the partitioner of each parameter that has one, by position; `joins` what the fences call.
    """

    def __init__(
        self, module: ModuleType, name: str, partitioners: Mapping[int, Any], joins: Sequence[Join] = ()
    ) -> None:
        self.joins = joins
        self.function: Callable[..., Any] = getattr(module, name)
        self.sites: dict[int, Any] = module.SITES
        self.has_faults: bool = module.HAS_FAULTS
        self.written: tuple[int, ...] = module.WRITTEN
        #: positions of the arguments that are cut, and by what
        self.partitions = tuple((k, partitioners[k]) if isinstance(k, int) else k for k in module.PARTITIONS)
        self.finish = _finisher(module.RESULT)

    def __call__(self, args: tuple[Any, ...], workers: int) -> Any:
        """Run with `workers` method instances.

        Raises:
            IndexError: an access outside its array, found before a phase or in it.
        """
        partitions = [cut(partitioner, args[k], workers) for k, partitioner in self.partitions]
        faults = None
        if self.has_faults:
            faults = fault_table(max([workers, *(len(owners) - 1 for _, owners in partitions)]))
        functions = Functions(self.joins) if self.joins else None
        extra = self._extra(workers, faults, partitions, functions)
        try:
            with _guard():
                numba.set_num_threads(min(workers, numba.config.NUMBA_NUM_THREADS))
                result = self.function(*args, *extra)
        except IndexError as error:
            if functions is not None and functions.error is not None:
                raise functions.error from None
            raise self._index_error(error, faults) from None
        if self.finish is None:
            return result
        return [self.finish(each) for each in result] if isinstance(result, list) else self.finish(result)

    def _extra(
        self,
        workers: int,
        faults: np.ndarray[Any, Any] | None,
        partitions: Sequence[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]],
        functions: Functions | None,
    ) -> tuple[Any, ...]:
        """What the master takes behind the arguments of the method."""
        extra: tuple[Any, ...] = (workers,) if faults is None else (workers, faults)
        for ranges, owners in partitions:
            extra += (ranges, owners)
        return extra if functions is None else (*extra, functions.address)

    def compile(self, args: Sequence[Any]) -> None:
        """Have Numba compile the master for arguments like these (contiguous arrays), and keep the machine code."""
        faults = fault_table(1) if self.has_faults else None
        partition = (np.zeros((1, 2), np.int64), np.zeros(2, np.int64))
        functions = Functions(self.joins) if self.joins else None
        extra = self._extra(1, faults, [partition for _ in self.partitions], functions)
        master: Any = self.function
        master.compile(tuple(numba.typeof(value) for value in (*args, *extra)))

    def _index_error(self, error: IndexError, faults: np.ndarray[Any, Any] | None) -> IndexError | ValueError:
        if not error.args or not all(isinstance(a, int) for a in error.args):
            return error
        site, *index = error.args
        if site == -1 and faults is not None:
            row = first_fault(faults)
            return index_error(self.sites[int(row[SITE])], int(row[INDEX]))
        return index_error(self.sites[site], index[0] if index else None)


def _guard() -> Any:
    """Numba's `workqueue` layer must not be entered by two threads at once."""
    try:
        layer = numba.threading_layer()
    except ValueError:
        return _workqueue
    return _workqueue if layer == "workqueue" else nullcontext()


def _finisher(result: Any) -> Callable[[Any], Any] | None:
    """What turns Numba's Python numbers into the NumPy scalars of the elided function."""
    if result is None:
        return None
    if isinstance(result, tuple):
        parts = [_finisher(r) for r in result]
        return lambda values: tuple(v if p is None else p(v) for p, v in zip(parts, values, strict=True))
    scalar: Callable[[Any], Any] = np.dtype(result).type
    return scalar
