"""Phases that run together (`row_fusion`) -> a kernel of a work-group a row, which keeps what is theirs alone.

for r: for k: e[r, k] = exp(x[r, k] - m[r])         for (long k = lane; k < n; k += 256)
                                                        e_row[k] = exp(x[r * x_1 + k] - m_row[0]);
                                             ->     barrier(...);
for r: for k: y[r, k] = e[r, k] / s[r]              for (long k = lane; k < n; k += 256)
                                                        y[r * y_1 + k] = e_row[k] / s_row[0];

The work-items of a group share out the trips of each phase; where an iteration is a row's, all of them run it, or the
first one, if it stores. A loop that keeps the extreme of floats they share, too: each keeps that of its trips, as if
there were no zeros and no nan, and where the one of all is such a number, the loop runs in its order. So all bits are
those of the phases one by one. A matrix is read once, and what lies between two phases is neither stored nor loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import ITERATION, Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import Declared, declared_in, loop_scoped, read_in, scalars_set
from somd.transforms.loops.program import Element, Loop, Region, Statement, Store
from somd.transforms.loops.walking import expressions, expressions_in, statements_in
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import OWN_NAMES, kernel_text
from somd.transforms.opencl.locals import own_arrays
from somd.transforms.opencl.row_fusion import Together, is_shared, shared_extreme
from somd.transforms.opencl.shared_extremes import shared_extreme_lines
from somd.transforms.opencl.shared_loops import spread
from somd.transforms.opencl.side_by_side import MINE, Sharing, SideBySide, side_by_side
from somd.transforms.opencl.wide_kernels import BARRIER
from somd.transforms.passes.extremes import Extreme
from somd.transforms.stages import Nest

#: work-items of a group at most
LANES = 256


@dataclass(frozen=True)
class RowKernel:
    """A kernel of phases that run together; `room` are the arrays that it keeps, each with the bytes of an element."""

    together: Together
    kernel: Kernel
    room: tuple[tuple[str, int], ...]


def row_kernel_of(found: Together, regions: Sequence[Region], name: str, unit: Unit) -> RowKernel | None:
    """The kernel of phases that run together, given the region of each."""
    return _Writer(found, regions, unit).kernel(name)


class _Writer:
    def __init__(self, found: Together, regions: Sequence[Region], unit: Unit) -> None:
        self.found, self.regions, self.unit = found, regions, unit
        nests = [phase.nest for phase in found.phases]
        own = {name: lengths for nest in nests for name, lengths in own_arrays(nest, unit.types).items()}
        scalars = {name for nest in nests for name in nest.scalars}
        names = Names({*unit.taken, *OWN_NAMES, ITERATION})
        self.scope = Scope(names, unit.types, scalars, own=own, kept=unit.members, counted=unit.counted)
        fresh = names.fresh
        self.lane, self.lanes, self.row, self.pool = (fresh(n) for n in ("lane", "lanes", "row", "pool"))
        self.rows = {name: fresh(f"{self.scope.names.of(name)}_row") for name in found.inside}
        self.local: list[str] = []
        #: by type: places for what each work-item has found
        self.places: dict[str, str] = {}
        #: whether a constant that one work-item sets is asked for by others
        self.lost = False

    def kernel(self, name: str) -> RowKernel | None:
        scope, lines = self.scope, list[str]()
        for phase, region in zip(self.found.phases, self.regions, strict=True):
            lines += [*([f"    {BARRIER}"] if lines else []), *self.phase(phase.nest, region)]
        if self.lost or scope.arrays.keys() & {*self.rows}:
            return None  # also where an element was read in a form that is not one of the region's
        first = [
            f"    const int {self.lane} = get_local_id(0);",
            f"    const int {self.lanes} = get_local_size(0);",
            f"    const long {self.row} = get_group_id(0);",
        ]
        room, before = list[tuple[str, int]](), "0"
        for array, text in self.rows.items():
            dtype = scope.array_type(array).dtype
            kind, size = CTYPES[dtype], np.dtype(dtype).itemsize
            first.append(f"    __local {kind} *const {text} = (__local {kind} *)({self.pool} + {before});")
            width = scope.length(array, 1).text if scope.array_type(array).ndim > 1 else "1"
            before = f"{before} + ({width} * {size} + 7) / 8"
            room.append((array, size))
        arguments = of_scope(scope, frozenset(n for region in self.regions for n in region.written))
        arguments.append(Argument("own", self.pool, dtype="int64"))
        text = kernel_text(name, arguments, [*first, *lines], scope, local=self.local)
        return RowKernel(self.found, Kernel(name, text, tuple(arguments)), tuple(room))

    def phase(self, nest: Nest, region: Region) -> list[str]:
        """The lines of a phase."""
        scope, wide = self.scope, region.depth > 1
        body = region.loop.body
        declared = declared_in(region.body, (loop.variable.name for loop in region.loops))
        shared = side_by_side(region.body) if wide else None
        shared = shared if shared is not None and _is_plain_loop(region.loops[1], declared, shared) else None
        among = {} if shared is None else {MINE: shared.first[0].target.type.dtype}
        write = Statements(scope, self.unit, replace(declared, private={**declared.private, **among}))
        write.barrier_follows = True
        write.lines.append(f"    // {nest.place}")
        with write.braces():
            write.line(f"const long {scope.text_of(region.loop.variable.name)} = {self.row};")
            own, scope.own = scope.own, own_arrays(nest, self.unit.types)
            for line in declarations(declared.private, scope):
                write.line(line)
            own_nodes = () if shared is None else (shared.own_first, shared.own_loop)
            for node in expressions_in((*body, *own_nodes)):
                if isinstance(node, Element) and node.array in self.rows:
                    place = write.expressions.place(node, 1).loose if len(node.indices) > 1 else "0"
                    scope.staged[node] = f"{self.rows[node.array]}[{place}]"
            if shared is not None:
                self.side_by_side(region.loops[1], shared, write)
            elif wide:
                spread(region.loops[1], self.lane, self.lanes, write)
            else:
                self.by_parts(region, write)
            scope.staged.clear()
            scope.own = own
        return write.finished()

    def side_by_side(self, loop: Loop, found: SideBySide, write: Statements) -> None:
        """A loop whose iterations several work-items run."""
        sharing = Sharing(found, self.lane, self.found_of(found.first[0].target.type.dtype), write)
        at = self.scope.names.fresh("at")
        start, stop = (write.value(each) for each in (loop.start, loop.stop))
        with write.braces(
            f"for (long {at} = {start.loose}; {at} < {stop.text}; {at} += {self.lanes} / {sharing.count})"
        ):
            variable = self.scope.text_of(loop.variable.name)
            write.line(f"const long {variable} = {at} + {sharing.trip};")
            write.line(f"const int {sharing.active} = {variable} < {stop.text};")
            sharing.block(loop.body)

    def by_parts(self, region: Region, write: Statements) -> None:
        """An iteration that is a row's: loops that are shared out, and what stands between them."""
        parts: list[tuple[Statement, ...]] = []
        for node in region.body:
            if not parts or is_shared(node, region) or is_shared(parts[-1][-1], region):
                parts.append((node,))
            else:
                parts[-1] = (*parts[-1], node)
        for number, part in enumerate(parts):
            if number:
                write.line(BARRIER)
            loop, extreme = part[0], shared_extreme(part[0])
            if isinstance(loop, Loop) and is_shared(loop, region):
                if extreme is not None and loop.order != "free":
                    self.extreme(loop, extreme, write)
                else:
                    spread(loop, self.lane, self.lanes, write)
            elif any(isinstance(node, Store) for node in statements_in(part)):
                self.alone(part, parts[number + 1 :], write)
            else:
                write.block(part)

    def alone(self, part: Sequence[Statement], behind: Sequence[Sequence[Statement]], write: Statements) -> None:
        """What the first work-item does, and passes on."""
        with write.braces(f"if ({self.lane} == 0)"):
            write.block(part)
        asked = {
            n for each in behind for node in statements_in(tuple(each)) for e in expressions(node) for n in read_in(e)
        }
        set_here = declared_in(part).private
        self.lost |= bool(({n for n, _ in scalars_set(part)} - set_here.keys() - loop_scoped(part)) & asked)
        passed = [(self.scope.text_of(name), kind) for name, kind in sorted(set_here.items()) if name in asked]
        for text, dtype in passed:
            slot = self.scope.names.fresh(f"{text}_passed")
            self.local.append(f"    __local {CTYPES[dtype]} {slot};")
            write.line(f"if ({self.lane} == 0)")
            write.line(f"    {slot} = {text};")
            write.line(BARRIER)
            write.line(f"{text} = {slot};")

    def extreme(self, loop: Loop, kept: Extreme, write: Statements) -> None:
        """The extreme of a row."""
        found = self.found_of(kept.variable.type.dtype)
        shared_extreme_lines(loop, kept, write, found, self.lane, self.lane, self.lanes)

    def found_of(self, dtype: str) -> str:
        """Places for what each work-item has found."""
        if dtype not in self.places:
            self.places[dtype] = self.scope.names.fresh("found")
            self.local.append(f"    __local {CTYPES[dtype]} {self.places[dtype]}[{LANES}];")
        return self.places[dtype]


def _is_plain_loop(loop: Loop, declared: Declared, found: SideBySide) -> bool:
    """Whether the trips of a loop follow each other by 1, and all that they set is declared around them."""
    known = {name for name, _ in scalars_set(loop.body)} - found.constants <= declared.private.keys() | declared.scoped
    return known and loop.by == 1
