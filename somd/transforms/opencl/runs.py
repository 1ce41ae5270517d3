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

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.opencl.c_operators import binary
from somd.transforms.opencl.c_statements import Statements
from somd.transforms.opencl.c_tree import C
from somd.transforms.opencl.c_types import CTYPES, converted, zero
from somd.transforms.stages import Nest
from somd.transforms.tree.loops import small_statements
from somd.transforms.tree.names import names_read
from somd.transforms.types.scalars import AUGMENTED


def run_of(nest: Nest) -> cst.AugAssign | None:
    """The one statement of a nest, if it updates an element that a key names and reads the array nowhere else."""
    body = list(small_statements(nest.body))
    node = body[0] if len(body) == 1 else None
    if not isinstance(node, cst.AugAssign) or nest.copies or len(nest.dims) != 1 or nest.partition is None:
        return None
    target = node.target
    if not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name) or target not in nest.guarded:
        return None
    indexes = index_expressions(target)
    keyed = len(indexes) == 1 and nest.partition in names_read(indexes[0])
    return node if keyed and not names_read(node.value) & {target.value.value, nest.partition} else None


@dataclass(frozen=True)
class Run:
    """Writes the updates of one run after the other; `opened` before the loops, `update` in them, `closed` behind."""

    node: cst.AugAssign
    write: Statements
    at: str
    place: str
    value: str
    key: str

    @classmethod
    def of(cls, node: cst.AugAssign, write: Statements) -> Run:
        fresh, array = write.scope.names.fresh, write.expressions.accessed(_target(node))[1]
        return cls(node, write, *(fresh(n) for n in ("key_at", "place", f"{array}_run", "key")))

    def opened(self) -> None:
        array, _ = self.write.expressions.accessed(_target(self.node))
        self.write.line(f"long {self.at} = -1, {self.place} = -1;")
        self.write.line(f"{CTYPES[array.dtype]} {self.value} = {zero(array.dtype)};")

    def update(self) -> None:
        write, target = self.write, _target(self.node)
        array, name = write.expressions.accessed(target)
        assert isinstance(target.value, cst.Name)
        index = write.expressions.of_type(index_expressions(target)[0], "int64")
        length, site = write.scope.length(target.value.value, 0), write.scope.guarded[target][0].number
        write.scope.tests_accesses = True
        record = f"faults, {write.scope.iteration()}, turn"
        found = f"{write.expressions.unit.fault_place()}({self.key}, {length.text}, {record}, {site})"
        write.line(f"const long {self.key} = {index.loose};")
        write.open(f"if ({self.key} != {self.at})")
        self._store(name)
        write.line(f"{self.at} = {self.key};")
        write.line(f"{self.place} = {found};")
        write.line(f"{self.value} = {self.place} >= 0 ? {name}[{self.place}] : {zero(array.dtype)};")
        write.close()
        operands = C(self.value, array.dtype), write.expressions.expression(self.node.value)
        operator, kind = AUGMENTED[type(self.node.operator)], write.expressions.type_of(self.node)
        result = binary(operator, *operands, kind, write.expressions.unit)
        write.line(f"{self.value} = {converted(result, array.dtype).loose};")

    def closed(self) -> None:
        self._store(self.write.expressions.accessed(_target(self.node))[1])

    def _store(self, name: str) -> None:
        self.write.line(f"if ({self.place} >= 0)")
        self.write.line(f"    {name}[{self.place}] = {self.value};")


def _target(node: cst.AugAssign) -> cst.Subscript:
    assert isinstance(node.target, cst.Subscript)
    return node.target
