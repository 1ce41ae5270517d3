"""The arguments of a kernel: what the kernel declares and what the master passes, kept as one list."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import KEPT


@dataclass(frozen=True)
class Argument:
    """One argument. `kind` is

    array, partials     `name` of the array or the reduction; `dtype` of an element
    length              of axis `number` of array `name`
    start, stop         of distributed dimension `number`
    trips, extent       of distributed dimension `number`: its iterations, exactly or at most
    block, blocks       the trips in a logical block, and how many blocks there are
    dealt               among how many lanes of a block its trips are dealt out
    copies, row         all private copies of array `name`, and the elements in one
    rows, row, step     arrays `name` of all work-items; memory from one to the next, and from element to element
    tile                how many iterations a group runs
    items               how many work-items take the iterations in turns
    count, size         how many copies of an array are combined, and its elements
    pool                room in local memory for rows of a group, in words of 16 bytes
    own, width          room in local memory for a slice of array `name`, and the elements of a slice
    slices, across      of how many slices arrays are, and the work-items that share out a row
    scalar              uniform scalar `name`, or part `number` of a tuple (None: no tuple)
    made, before, last  of a scan by groups of stretches: what each group makes of point `number` of scalar `name`, the
                        value before it, and that behind the last one
    carried, groups     the value of scalar `name` before a scan, and how many groups there are
    ends                where the parts of an array end, from 0 on, one part an owner
    run_ends, run_keys  where the parts of one key end, as `ends`, and their keys; run_count how many there are
    ranges, owners      the parts of an array and whose they are; owner_count the number of owners
    kept                the scalars that stay on the device
    faults, turn        the fault record, and the number of the launch among those that may write it
    """

    kind: str
    text: str
    name: str = ""
    number: int | None = None
    dtype: str = "int64"
    constant: bool = False

    @property
    def declaration(self) -> str:
        if self.kind in ("array", "partials", "copies", "rows", "made", "before", "last"):
            return f"__global {'const ' if self.constant else ''}{CTYPES[self.dtype]} *{self.text}"
        if self.kind == "own":
            return f"__local {CTYPES[self.dtype]} *{self.text}"
        if self.kind == "pool":
            return f"__local long2 *{self.text}"
        if self.kind in ("ranges", "owners", "ends"):
            return f"__global const long *{self.text}"
        if self.kind in ("run_ends", "run_keys"):
            return f"__global const int *restrict {self.text}"
        if self.kind == "kept":
            return f"__global {'const ' if self.constant else ''}{KEPT} *{self.text}"
        if self.kind == "faults":
            return f"__global volatile long *{self.text}"
        return f"{CTYPES[self.dtype]} {self.text}"


@dataclass(frozen=True)
class Kernel:
    """A kernel: its C name and text, and its arguments in order."""

    name: str
    text: str
    arguments: tuple[Argument, ...]
    #: of a kernel of work-groups: the loops that a group shares out, and how many iterations a group runs, at most if
    #: that is an argument
    shared_out: tuple[cst.For, ...] = ()
    rows: int = 1
    #: of one whose groups have a tile of two loops each: the iterations of the inner one in it
    columns: int = 1
    #: of such a kernel: whether only tiles at or above the diagonal have a group
    folded: bool = False
    #: of one whose groups have a size of their own: the work-items of a group
    lanes: int = 0
    #: of one whose groups add up blocks of few long chains: that it does
    chained: bool = False
    #: of one whose groups bring in short rows: the arrays, each with the axis that has to be short
    short: tuple[tuple[str, int], ...] = ()
    #: and how long rows are at most
    widest: int = 0
    #: of one whose groups keep rows: for each place the bytes of an element, and the axes of which it takes the longest
    staged: tuple[tuple[int, tuple[tuple[str, int], ...]], ...] = ()
    #: of one whose groups run iterations of two loops by one number, the inner one being short: two
    loops: int = 1
    #: of a kernel of one work-item an iteration: the dimensions of the nest in the order of OpenCL's
    order: tuple[int, ...] = ()
    #: of such a kernel: the arrays whose elements at all indexes that the nest goes over are stored, and none read
    overwritten: tuple[str, ...] = ()


FAULTS = (Argument("faults", "faults"), Argument("turn", "turn"))


def of_scope(scope: Scope, written: frozenset[str]) -> list[Argument]:
    """Arguments for what a body mentions: arrays, lengths, scalars, the record of faults."""
    found = []
    for name, text in sorted(scope.arrays.items()):
        found.append(Argument("array", text, name, dtype=scope.array_type(name).dtype, constant=name not in written))
    for (name, axis), text in sorted(scope.lengths.items()):
        found.append(Argument("length", text, name, axis))
    for (name, element), (text, dtype) in sorted(scope.inputs.items(), key=lambda item: item[1][0]):
        found.append(Argument("scalar", text, name, element, dtype))
    if scope.loaded:
        found.append(Argument("kept", "kept", constant=True))
    return [*found, *FAULTS] if scope.tests_accesses else found
