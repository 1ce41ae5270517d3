"""Runs a generated multicore module: threads, faults, and the types of results.

In: the module, the arguments and the number of method instances. Out: what the function as written would return, or the
list of partial results where they are reduced by a function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numba as _numba
import numpy as np

from somd.compiling.bugs import is_of_library, refused_code
from somd.language.combining import Join
from somd.language.library import LibraryCall
from somd.language.raising import Raises, as_double
from somd.runtime.cutting import cut, hulls
from somd.runtime.faults import index_error
from somd.runtime.multicore.fences import RAISED, Functions
from somd.runtime.multicore.guards import INDEX, SITE, VALUES, fault_table, first_fault
from somd.runtime.multicore.library_words import WordedCall
from somd.runtime.multicore.numba_internals.layer import layer
from somd.runtime.multicore.partition import PER_WORKER
from somd.runtime.multicore.ranks import LOST, Told
from somd.runtime.multicore.signals import INTERRUPTED, exception_at
from somd.runtime.multicore.sweeps import CACHE

if TYPE_CHECKING:
    from somd.settings.targets import Same

numba: Any = _numba


#: what Numba says of a length below 0
NEGATIVE = "negative dimensions not allowed"


class Share(NamedTuple):
    """What a master for ranks is told of them, and the threads that this one has."""

    told: Told | None
    rank: int
    size: int
    threads: int


@functools.cache
def _alone(workers: int) -> Share:
    """The share of a process that works by itself."""
    return Share(None, 0, 1, workers)


class MulticoreCall:
    """A loaded module, ready to be called with arguments of its signature.

    `partitioners` has the partitioner of each parameter that has one, by position; `joins` what the fences call;
    `functions` or `names` what the method's `raise` statements need (`Raises`).
    """

    def __init__(
        self,
        module: ModuleType,
        name: str,
        partitioners: Mapping[int, Any],
        joins: Sequence[Join | LibraryCall] = (),
        functions: Sequence[FunctionType] = (),
        names: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self.joins = tuple(WordedCall(each) if isinstance(each, LibraryCall) else each for each in joins)
        self.name, self.file = name, str(getattr(module, "__file__", ""))
        self.function: Callable[..., Any] = getattr(module, name)
        self.sites: dict[int, Any] = module.SITES
        self.has_faults: bool = module.HAS_FAULTS
        self.written: tuple[int, ...] = module.WRITTEN
        #: MIs for each worker
        self.per_worker = PER_WORKER if getattr(module, "UNEVEN", False) else 1
        #: positions of the arguments that are cut, and by what
        self.partitions = tuple((k, partitioners[k]) if isinstance(k, int) else k for k in module.PARTITIONS)
        #: whether the master is one for ranks
        self.ranked: bool = getattr(module, "RANKED", False)
        #: whether the number of MIs shows in results, so that it must not depend on the number of ranks
        self.counted: bool = getattr(module, "COUNTED", not self.ranked)
        #: whether the master takes more than its arguments and the number of MIs
        self.special = bool(self.has_faults or self.partitions or joins or self.ranked)
        #: whether MIs run several sweeps over a range before they go on to the next
        self.in_pieces: bool = getattr(module, "IN_PIECES", False)
        self.finish = _finisher(module.RESULT)
        self.raises = Raises(getattr(module, "RAISES", {}), functions, names)
        self.layer = layer()

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        """Run with `workers` method instances, phases of fewer operations than `small_work` with one.

        Raises:
            As `run`.
        """
        return self.run(args, workers, small_work, _alone(workers))

    def run(self, args: tuple[Any, ...], workers: int, small_work: int | None, share: Share) -> Any:
        """Run this rank's share.

        Raises:
            IndexError: an access outside its array, found before a phase or in it.
            BaseException: what the method raises, or a function at a fence, or the handler of a signal,
                KeyboardInterrupt above all.
        """
        extra: tuple[Any, ...] = (workers,)
        faults = functions = None
        if self.special:
            extra, faults, functions = self._extra(args, workers, share)
        self.layer.divide(small_work)
        threads = self.layer.enter(share.threads)
        failure: Exception | None = None
        try:
            result = self.function(*args, *extra)
        except Exception as error:
            failure = error
        finally:
            self.layer.leave(threads)
        if failure is not None:  # not inside `except`: what the method raises has the context that it has in Python
            try:
                raise self.meant(failure, faults, None if functions is None else functions.error, share.told)
            finally:
                del failure  # which would keep this frame, with the arguments
        if self.finish is None:
            return result
        return [self.finish(each) for each in result] if isinstance(result, list) else self.finish(result)

    def native(
        self, args: Sequence[Any], same: Same, workers: int, small_work: int | None
    ) -> tuple[Callable[..., Any], Callable[[Exception], BaseException]] | None:
        """See `Native`. Not where a call needs more than arguments, faults and functions."""
        compiled: Any = self.function
        if self.partitions or self.ranked or type(self) is not MulticoreCall:
            return None
        faults = functions = None
        if self.has_faults or self.joins:  # what functions raise has a row of its own
            faults = fault_table(workers * self.per_worker + 1, self.raises.slots)
        extra: tuple[Any, ...] = (workers, faults) if self.has_faults else (workers,)
        if self.joins and faults is not None:
            functions = Functions(self.joins, faults[-1])
            extra += (functions.address,)
        kinds = tuple(numba.typeof(value) for value in (*args, *extra))
        if kinds not in compiled.overloads:
            return None
        from somd.runtime.multicore.native_call import native_call

        entry = compiled.overloads[kinds].entry_point
        call = native_call(entry, args, same, self.layer, extra, small_work, faults)
        return None if call is None else (call, functools.partial(self._meant_native, faults, functions))

    def _meant_native(
        self, faults: np.ndarray[Any, Any] | None, functions: Functions | None, error: Exception
    ) -> BaseException:
        """What an error of a call in machine code means; there is no other one until its faults are cleared."""
        if faults is None:
            return self.meant(error)
        found, raised = faults.copy(), None
        if functions is not None and error.args == (RAISED,):
            raised, functions.error = functions.error, None
        faults[...] = 0
        return self.meant(error, found, raised)

    def _extra(
        self, args: Sequence[Any], workers: int, share: Share
    ) -> tuple[tuple[Any, ...], np.ndarray[Any, Any] | None, Functions | None]:
        """What the master takes besides the arguments; of that, the fault table and the functions of fences."""
        everybody = workers if self.counted else workers * share.size
        pieces = self.pieces(args, everybody)
        partitions = [cut(partitioner, args[k], everybody, pieces) for k, partitioner in self.partitions]
        parts = max([workers * self.per_worker, *(len(owners) - 1 for _, owners in partitions)])
        faults = fault_table(parts * share.size, self.raises.slots) if self.has_faults else None
        functions = Functions(self.joins) if self.joins else None
        extra: tuple[Any, ...] = (workers, faults) if self.has_faults else (workers,)
        for (k, partitioner), (ranges, owners) in zip(self.partitions, partitions, strict=True):
            extra += (ranges, owners)
            if self.ranked:
                extra += (hulls(partitioner, args[k], ranges, owners, share.size),)
        if functions is not None:
            extra += (functions.address,)
        if self.ranked:
            extra += (0 if share.told is None else share.told.address, share.rank, share.size)
        return extra, faults, functions

    def compile(self, args: Sequence[Any]) -> None:
        """Have Numba compile the master for arguments like these (contiguous arrays), and keep the machine code."""
        extra: tuple[Any, ...] = (1, fault_table(1)) if self.has_faults else (1,)
        of_partition: tuple[Any, ...] = (np.zeros((1, 2), np.int64), np.zeros(2, np.int64))
        if self.ranked:
            of_partition += (np.zeros((0, 4), np.int64),)
        extra += of_partition * len(self.partitions)
        if self.joins:
            extra += (Functions(self.joins).address,)
        if self.ranked:
            extra += (0, 0, 1)
        master: Any = self.function
        master.compile(tuple(numba.typeof(value) for value in (*args, *extra)))

    def pieces(self, args: Sequence[Any], workers: int) -> int:
        """The ranges of keys that an MI works on one after the other, so that each stays in the cache."""
        if not self.in_pieces or not self.partitions:
            return 1
        memory = sum(a.nbytes for a in args if isinstance(a, np.ndarray))
        return 1 + int(memory // (workers * CACHE))

    def meant(
        self,
        error: Exception,
        faults: np.ndarray[Any, Any] | None = None,
        raised: BaseException | None = None,
        told: Told | None = None,
    ) -> BaseException:
        """The exception that what a master has raised stands for; `raised` is what a function of a fence did."""
        if isinstance(error, IndexError):
            return self._meant(error, faults, raised, told)
        if error.args == (NEGATIVE,):  # of an allocation: what the method raises itself comes as an IndexError
            return ValueError("negative dimensions are not allowed")  # as NumPy says it
        if is_of_library(error):
            refused = refused_code("Numba", self.name, self.file, error)
            refused.__cause__ = error
            return refused
        return error

    def _meant(
        self,
        error: IndexError,
        faults: np.ndarray[Any, Any] | None,
        raised: BaseException | None,
        told: Told | None,
    ) -> BaseException:
        """The exception that a master's IndexError stands for."""
        if not error.args or not all(isinstance(a, int) for a in error.args):
            return error
        site, *index = error.args
        if site == INTERRUPTED:
            interrupted = exception_at(index[0])
            if told is not None:
                told.error = interrupted  # of this rank alone
            return interrupted
        if site == RAISED:
            return raised or KeyboardInterrupt()
        if site == LOST and told is not None:
            return told.error or KeyboardInterrupt()
        if site == -1 and faults is not None:
            row = first_fault(faults)
            if int(row[SITE]) in self.raises.rows:
                return self.raises.from_words(int(row[SITE]), row[VALUES:].tolist(), as_double)
            return index_error(self.sites[int(row[SITE])], int(row[INDEX]))
        return index_error(self.sites[site], index[0] if index else None)


def _finisher(result: Any) -> Callable[[Any], Any] | None:
    """What turns Numba's Python numbers into the NumPy scalars of the elided function."""
    if result is None:
        return None
    if isinstance(result, tuple):
        parts = [_finisher(r) for r in result]
        return lambda values: tuple(v if p is None else p(v) for p, v in zip(parts, values, strict=True))
    scalar: Callable[[Any], Any] = np.dtype(result).type
    return scalar
