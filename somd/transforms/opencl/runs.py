"""Updates of one element after the other by the iterations of a part: the element stays in a register.

for k in range(n): y[row[k]] += v[k]   ->   const long key = row[k];
                                            if (key != key_at) {
                                                if (place >= 0) y[place] = y_run;
                                                key_at = key; place = fault_place(key, ...);
                                                y_run = place >= 0 ? y[place] : 0;
                                            }
                                            y_run = y_run + v[k];

Keys that are kept together by a partitioner come in runs; each element is read and written once a run, in the same
order of operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.emit.c import Statements, without_casts
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Expression, Operation, Region, Store, Tested


def run_of(region: Region) -> Store | None:
    """The one statement of a region, if it updates an element that a key names and reads the array nowhere else."""
    node = region.body[0] if len(region.body) == 1 else None
    if not isinstance(node, Store) or region.handed_on or region.depth != 1 or region.partition is None:
        return None
    element, added = node.element, added_in(node)
    if added is None or not isinstance(element.access, Tested) or len(element.indices) != 1:
        return None
    if region.partition not in read_in(element.indices[0]) or read_in(added) & {element.array, region.partition}:
        return None
    return node


def added_in(node: Store) -> Expression | None:
    """What an update of an element brings in; None of other stores."""
    value = without_casts(node.value)
    if not isinstance(value, Operation) or len(value.operands) != 2:
        return None
    return value.operands[1] if without_casts(value.operands[0]) == node.element else None


@dataclass(frozen=True)
class Run:
    """Writes the updates of one run after the other; `opened` before the loops, `update` in them, `closed` behind."""

    node: Store
    write: Statements
    at: str
    place: str
    value: str
    key: str

    @classmethod
    def of(cls, node: Store, write: Statements) -> Run:
        fresh, array = write.scope.names.fresh, write.scope.array(node.element.array)
        return cls(node, write, *(fresh(n) for n in ("key_at", "place", f"{array}_run", "key")))

    def opened(self) -> None:
        dtype = self.node.element.type.dtype
        self.write.line(f"long {self.at} = -1, {self.place} = -1;")
        self.write.line(f"{CTYPES[dtype]} {self.value} = {zero(dtype)};")

    def update(self) -> None:
        write, element = self.write, self.node.element
        name, access = write.scope.array(element.array), element.access
        assert isinstance(access, Tested)
        index = write.value(element.indices[0])
        length, site = write.scope.length(element.array, 0), access.sites[0].number
        write.scope.tests_accesses = True
        record = f"faults, {write.scope.iteration()}, turn"
        found = f"{write.unit.fault_place()}({self.key}, {length.text}, {record}, {site})"
        write.line(f"const long {self.key} = {index.loose};")
        with write.braces(f"if ({self.key} != {self.at})"):
            self._store(name)
            write.line(f"{self.at} = {self.key};")
            write.line(f"{self.place} = {found};")
            write.line(f"{self.value} = {self.place} >= 0 ? {name}[{self.place}] : {zero(element.type.dtype)};")
        write.scope.staged[element] = self.value
        write.line(f"{self.value} = {write.value(self.node.value).loose};")
        write.scope.staged.clear()

    def closed(self) -> None:
        self._store(self.write.scope.array(self.node.element.array))

    def _store(self, name: str) -> None:
        self.write.line(f"if ({self.place} >= 0)")
        self.write.line(f"    {name}[{self.place}] = {self.value};")
