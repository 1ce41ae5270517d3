"""Straight-line code of the master -> a kernel of one work-item, which leaves what it assigns on the device.

d = a[k, k]   ->   double d = kept->d;
                   d = load_double_2(a, k, a_0, k, a_1, ...);
                   kept->d = d;
"""

from __future__ import annotations

from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_names import Names
from somd.transforms.opencl.c_statements import Statements
from somd.transforms.opencl.c_types import CTYPES
from somd.transforms.opencl.kernels import OWN_NAMES, kernel_text
from somd.transforms.opencl.scope import Scope
from somd.transforms.opencl.unit import Unit
from somd.transforms.stages import Method, Serial
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types


def once_kernel_of(step: Serial, name: str, method: Method, types: Types, unit: Unit) -> Kernel:
    """The kernel of a serial step; what it assigns are kept scalars.

    Raises:
        TargetLacks: the step has something without a form in OpenCL C.
    """
    read = {n for s in step.statements for n in names_read(s)} & method.local_names
    assigned = {n for s in step.statements for n in assigned_names(s)}
    own = Names({*unit.taken, *OWN_NAMES})
    scope = Scope(method, types, own, read - assigned, step.guarded, kept=unit.members)
    statements = Statements(Expressions(scope, unit), frozenset())
    for variable in sorted(assigned):
        kind = types.names[variable]
        assert isinstance(kind, ScalarType)
        statements.line(f"{CTYPES[kind.dtype]} {own.of(variable)} = kept->{unit.members[variable]};")
    statements.number("0")
    statements.block(step.statements)
    for variable in sorted(assigned):
        statements.line(f"kept->{unit.members[variable]} = {own.of(variable)};")
    arguments = of_scope(scope, frozenset(step.arrays_written))
    if assigned:
        rest = [a for a in arguments if a.kind != "kept"]
        place = next((k for k, a in enumerate(rest) if a.kind == "faults"), len(rest))
        arguments = [*rest[:place], Argument("kept", "kept"), *rest[place:]]
    return Kernel(name, kernel_text(name, arguments, statements.finished(), scope), tuple(arguments))
