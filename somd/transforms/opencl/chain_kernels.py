"""A phase of few iterations, each one long chain of additions -> a kernel whose groups add up blocks side by side.

for j in range(m):                        for (long i_piece = 0; i_piece < n; i_piece += 512) {
    s = 0.0                                   terms[k] = x[i, j];    8 of each work-item, the next ones under way
    for i in range(n):             ->         total = chained_sum(total, terms, ...);    4 sums of a group, to the bit
        s += x[i, j]                      }
    y[j] = s

An addition waits for the one before, so that few such chains leave a device idle, however they load. Blocks of a sum
can be added up side by side, though, as multiples of the sum's unit (`chained_sums.py`), and what a trip adds depends
on nothing but the trip. Neighbours load neighbouring elements: of four columns, or, where the loop goes along rows, of
eight trips.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import libcst as cst

from somd.transforms.emit.c import without_casts
from somd.transforms.emit.c_types import CTYPES, literal, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.parts import parts_of
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Expression,
    HelperCall,
    Loop,
    Operation,
    Raise,
    Region,
    Statement,
    Store,
    While,
)
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import goes_on, inside, reads_elements, statements_in, tests_accesses
from somd.transforms.opencl.arguments import Kernel, of_scope
from somd.transforms.opencl.chained_sums import (
    BLOCK,
    BLOCKS,
    GROUP,
    ROOM,
    SUMS,
    TERMS,
    can_be_chained,
    chained_sum,
)
from somd.transforms.opencl.kernels import is_plain, kernel_text, with_bounds
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.steady_reads import steady_reads
from somd.transforms.stages import Nest

#: elements that a term is made of at most, those that change from trip to trip
MOST_READ = 3
#: terms of a sum that are added up at once
PIECE = BLOCKS * BLOCK * TERMS


@dataclass(frozen=True)
class Chain:
    """The loop of an iteration, which adds its `term` to a sum; what stands before and behind; the elements that a trip
    reads, and those that all trips of an iteration read."""

    before: tuple[Statement, ...]
    loop: Loop
    behind: tuple[Statement, ...]
    added: Assign
    term: Expression
    reads: list[Element]
    same: list[Element]

    @property
    def minus(self) -> bool:
        assert isinstance(self.added.value, Operation)
        return self.added.value.operator == "-"


def chain_of(nest: Nest, region: Region) -> Chain | None:
    """The chain of additions of each iteration; None where it has none."""
    plain = is_plain(region) and region.depth == 1 and not nest.tests and not nest.raises and not region.aliased
    parts = parts_of(region.body)
    if not plain or parts is None or any(map(goes_on, region.body)) or tests_accesses(region.body):
        return None
    before, guard, loop, behind = parts
    if guard is not None or any(isinstance(each, Raise | While) for each in statements_in(region.body)):
        return None
    # all work-items of a sum begin it
    if any(isinstance(each, Store) for each in statements_in(before)):
        return None
    known = {*region.scalars, *region.arrays}
    if not isinstance(loop.step, Constant) or loop.step.value != 1 or len(loop.body) != 1:
        return None
    if any(reads_elements(limit) or not read_in(limit) <= known for limit in (loop.start, loop.stop)):
        return None
    added = loop.body[0]
    if not isinstance(added, Assign) or not isinstance(added.value, Operation) or len(added.value.operands) != 2:
        return None
    whole, term = added.value.operands
    kind, outer, inner = added.target.type.dtype, region.loop.variable.name, loop.variable.name
    alike = all(each.type.dtype == kind for each in (added.value, whole, term)) and can_be_chained(kind)
    if without_casts(whole) != added.target or added.value.operator not in ("+", "-") or not alike:
        return None
    if not read_in(term) <= {*known, outer, inner} or any(isinstance(each, HelperCall) for each in inside(term)):
        return None
    same = steady_reads(loop.body, region, {outer})
    reads = [each for each in steady_reads(loop.body, region, {outer, inner}) if each not in same]
    elements = {each for each in inside(term) if isinstance(each, Element)}
    if not 0 < len(reads) <= MOST_READ or elements != {*reads, *same} or len(same) > MOST_READ:
        return None
    return Chain(before, loop, behind, added, term, reads, same)


def chain_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest of chains."""
    chain = chain_of(nest, region)
    return None if chain is None else _Writer(chain, nest, region, unit).kernel(name)


class _Writer(RowGroups):
    def __init__(self, chain: Chain, nest: Nest, region: Region, unit: Unit) -> None:
        self.kind = chain.added.target.type.dtype
        super().__init__(chain.loop, SUMS, nest, region, unit)
        self.chain = chain
        self.user = cst.ensure_type(chain.loop.origin.node, cst.For)
        fresh = self.scope.names.fresh
        self.lane, self.sum, self.block, self.spot, self.whole = (
            fresh(n) for n in ("lane", "sum", "block", "spot", "whole")
        )
        self.terms, self.given, self.found, self.told, self.wait = (
            fresh(n) for n in ("terms", "given", "found", "told", "wait")
        )
        self.at, self.start, self.stop = (fresh(f"{self.variable}_{part}") for part in ("piece", "start", "stop"))
        names = {each: self.scope.array(each.array) for each in (*chain.reads, *chain.same)}
        self.next = {each: fresh(f"{names[each]}_next") for each in chain.reads}
        self.same = {each: fresh(f"{names[each]}_same") for each in chain.same}

    @property
    def along_rows(self) -> bool:
        """Whether neighbouring trips read neighbouring elements, rather than neighbouring iterations."""
        return not any(moves_with(each.indices[-1], self.region.loop.variable.name) for each in self.chain.reads)

    def kernel(self, name: str) -> Kernel:
        write, scope, chain = self.write, self.scope, self.chain
        apart = 1 if self.along_rows else SUMS
        room = SUMS * (PIECE + (apart == 1))
        write.local += [
            f"    __local {CTYPES[self.kind]} {self.terms}[{room}];",
            f"    __local {CTYPES[self.kind]} {self.found}[{ROOM}];",
            f"    __local int {self.told}[2];",
        ]
        self.places()
        total = scope.value(chain.added.target).text
        write.line(f"{total} = 1;")  # where there is no sum, blocks hold
        self.where_active(chain.before)
        for each, register in self.same.items():
            test = f"{self.active} && {self.start} < {self.stop}"
            value = f"{test} ? {write.value(each).text} : {zero(each.type.dtype)}"
            write.line(f"const {CTYPES[each.type.dtype]} {register} = {value};")
        for each, register in self.next.items():
            write.line(f"{CTYPES[each.type.dtype]} {register}[{TERMS}];")
        write.line(f"int {self.wait}[2] = {{0, 0}};")
        self.loads(self.start)
        with write.braces(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += {PIECE})"):
            write.line(f"{CTYPES[self.kind]} {self.given}[{TERMS}];")
            self.makes()
            self.loads(f"{self.at} + {PIECE}")
            function = chained_sum(write.unit, self.kind)
            first = f"{self.sum} * {PIECE + 1}" if apart == 1 else self.sum
            kept = f"{self.given}, {self.terms}, {self.found}, {self.told}, {self.wait}"
            place = f"{first}, {apart}, {self.sum}, {self.block}, {self.spot}"
            write.line(f"{total} = {function}({total}, {kept}, {place});")
        if chain.behind:
            with write.braces(f"if ({self.active} && {self.block} == 0 && {self.spot} == 0)"):
                write.block(chain.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(GROUP), local=write.local)
        return Kernel(name, text, tuple(arguments), (self.user,), rows=SUMS, lanes=GROUP, chained=True)

    def places(self) -> None:
        """Which sum a work-item has, and which terms."""
        write, lane = self.write, self.lane
        write.line(f"const int {lane} = get_local_id(0);")
        if self.along_rows:
            write.line(f"const int {self.spot} = {lane} % {BLOCK}, {self.block} = {lane} / {BLOCK} % {BLOCKS};")
            write.line(f"const int {self.sum} = {lane} / {BLOCK * BLOCKS};")
        else:
            write.line(f"const int {self.sum} = {lane} % {SUMS}, {self.spot} = {lane} / {SUMS} % {BLOCK};")
            write.line(f"const int {self.block} = {lane} / {BLOCK * SUMS};")
        self.begin_row(self.sum)
        start, stop = (write.value(each).loose for each in (self.chain.loop.start, self.chain.loop.stop))
        write.line(f"const long {self.start} = {start};")
        write.line(f"const long {self.stop} = {stop};")
        self.whole_rows(self.whole, SUMS)

    @contextmanager
    def each_term(self, at: str) -> Iterator[None]:
        """A loop over the terms of a work-item in the piece at `at`."""
        write = self.write
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int load = 0; load < {TERMS}; load++)"):
            place = f"{self.block} * {BLOCK * TERMS} + {self.spot} + load * {BLOCK}"
            write.line(f"const long {self.variable} = {at} + {place};")
            yield

    def loads(self, at: str) -> None:
        """What the terms of the piece at `at` are made of, into registers: for a whole piece without tests."""
        write = self.write
        for tested in (False, True):
            whole = f"if ({self.whole} && {at} + {PIECE} <= {self.stop})"
            with write.otherwise() if tested else write.braces(whole), self.each_term(at):
                for each, register in self.next.items():
                    value = write.value(each)
                    chosen = f"{self.active} && {self.variable} < {self.stop} ? {value.text} : {zero(value.dtype)}"
                    write.line(f"{register}[load] = {chosen if tested else value.text};")

    def makes(self) -> None:
        """The terms of a piece; one that changes no sum where there is none."""
        write, chain = self.write, self.chain
        with self.each_term(self.at):
            texts = {**{each: f"{register}[load]" for each, register in self.next.items()}, **self.same}
            self.scope.staged.update(texts)
            term = write.value(chain.term)
            self.scope.staged.clear()
            added = f"-{term.text}" if chain.minus else term.text
            nothing = literal(-0.0, self.kind).text
            test = f"{self.active} && {self.variable} < {self.stop}"
            write.line(f"{self.given}[load] = {test} ? {added} : {nothing};")
