"""The rows of arrays (indexes along axis 0, or a later one) that a run of consecutive iterations of a loop touches.

In: the accesses of a nest, and which of its loops is cut. Out: for each array the first and last row read or written,
and written, as expressions over the numbers of the first and last trip and over parameters. Arrays without an entry
may be read anywhere. None where the rows that two runs write may lie between each other's: such a loop cannot be cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.dependences import keys_in
from somd.transforms.analysis.python_text import value_text
from somd.transforms.analysis.sets import Sets, TooComplex, read
from somd.transforms.stages import Dim, Nest

TRIP, ROW = "trip", "row"


@dataclass(frozen=True)
class Rows:
    """Python text of the first and last row, both included: of those read or written, None being all, and of those
    written, None where none is."""

    touched: tuple[str, str] | None
    written: tuple[str, str] | None
    axis: int = 0


def touched_rows(nest: Nest, dim: Dim, first: str, last: str, axes: int = 1) -> Mapping[str, Rows] | None:
    """What trips `first` to `last` (isl names) of `dim` touch, by array: along the first of so many axes by which that
    can be told."""
    if nest.aliased or not dim.invariant or dim.first is None or keys_in(dim.first):
        return None
    try:
        return _Cut(nest, dim, first, last, axes).rows()
    except (TooComplex, isl.Error):
        return None


class _Cut:
    def __init__(self, nest: Nest, dim: Dim, first: str, last: str, axes: int) -> None:
        self.nest, self.dim = nest, dim
        self.names = (first, last)
        self.axes = axes
        self.sets = Sets(nest.facts)

    def rows(self) -> Mapping[str, Rows] | None:
        found: dict[str, Rows] = {}
        for array in sorted({access.array for access in self.nest.accesses}):
            accesses = [access for access in self.nest.accesses if access.array == array]
            axes = range(min(self.axes, len(accesses[0].indices)))
            rows = next((made for axis in axes if (made := self.along(axis, accesses)) is not None), None)
            if rows is not None:
                found[array] = rows
            elif any(access.write for access in accesses):
                return None
        return found

    def along(self, axis: int, accesses: Sequence[Access]) -> Rows | None:
        """What trips touch of an array along an axis; None if nothing can be told, or trips cannot be told apart."""
        written, changed = None, self.relation([access for access in accesses if access.write], axis)
        if any(access.write for access in accesses):
            written = None if changed is None or not self.apart(changed) else self.limits(changed, always=True)
            if written is None:
                return None
        # What is written counts as touched in full, so that a device has what it does not write of its rows.
        read = self.relation([access for access in accesses if not access.write], axis)
        touched = None if read is None or changed is None else self.limits(read.union(changed), always=False)
        return None if touched is None and written is None else Rows(touched, written, axis)

    def relation(self, accesses: Sequence[Access], axis: int) -> isl.Set | None:
        """{ [trip, row] } for the accesses, or more; None if some index is unknown. Conditions are left out, and loops
        unless the row depends on them: so it shows what a trip may touch, whatever it does."""
        self.sets.isl.reset_operations()
        whole = self.sets.make([TRIP, ROW], [Affine("1 = 0")])
        for access in accesses:
            index = access.indices[axis] if access.indices else None
            domain = next((d for d in access.loops if d.node is self.dim.node), None)
            if index is None or keys_in(index) or domain is None or domain.strided or access.node in self.nest.wrapping:
                return None
            formulas = list(self._formulas(access, index, domain.variable))
            inner = [d.variable for d in access.loops]
            one = self.sets.make([TRIP, ROW, *inner], formulas).project_out(isl.dim_type.set, 2, len(inner))
            whole = whole.union(one)
        return whole.coalesce()

    def _formulas(self, access: Access, index: Affine, variable: str) -> Iterator[Affine]:
        start, step = self.dim.first, self.dim.step
        assert start is not None
        yield Affine(f"{variable} = {start.text} + {step} * {TRIP}", start.names | {variable, TRIP})
        yield Affine(f"{TRIP} >= 0", frozenset({TRIP}))
        yield Affine(f"{ROW} = {index.text}", index.names | {ROW})
        for domain in access.loops:
            if domain.variable != variable and domain.variable in index.names:
                yield from domain.constraints

    def apart(self, written: isl.Set) -> bool:
        """Whether later trips write higher rows only, or lower rows only."""
        pairs = written.flat_product(written)
        names = "[t, r, u, s]"
        for order in (">=", "<="):
            crossing = read(f"{{ {names} : t < u and r {order} s }}")
            if pairs.intersect(crossing).is_empty():
                return True
        return False

    def limits(self, relation: isl.Set, always: bool) -> tuple[str, str] | None:
        """The first and last row of the trips; with `always`, None unless whether there is one does not depend on which
        trips these are."""
        first, last = self.names
        block = f"[{first}, {last}] -> {{ [t, r] : 0 <= {first} <= t <= {last} }}"
        rows = relation.intersect(read(block)).project_out(isl.dim_type.set, 0, 1).coalesce()
        if rows.is_empty():
            return None
        there = rows.params()
        if always:
            given = read(f"[{first}, {last}] -> {{ : 0 <= {first} <= {last} }}")
            conditions = there.gist(given.params())
            for name in self.names:
                place = conditions.find_dim_by_name(isl.dim_type.param, name)
                if place >= 0 and conditions.involves_dims(isl.dim_type.param, place, 1):
                    return None
        return value_text(rows.dim_min(0), there), value_text(rows.dim_max(0), there)
