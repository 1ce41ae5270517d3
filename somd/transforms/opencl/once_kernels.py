"""Straight-line code of the master -> a kernel of one work-item, which leaves what it assigns on the device.

d = a[k, k]   ->   double d = kept->d;
                   d = load_double_2(a, k, a_0, k, a_1, ...);
                   kept->d = d;
"""

from __future__ import annotations

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import OWN, Declared, read_in, scalars_set
from somd.transforms.loops.program import NOWHERE, Program, Statement
from somd.transforms.loops.walking import expressions, statements_in
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import OWN_NAMES, kernel_text
from somd.transforms.stages import Serial
from somd.transforms.tree.loops import small_statements


def once_kernel_of(step: Serial, name: str, unit: Unit) -> Kernel:
    """The kernel of a serial step; what it assigns are kept scalars.

    Raises:
        TargetLacks: the step has something without a form in OpenCL C.
    """
    body = _of_step(step, unit.program)
    assigned = {name: dtype for name, dtype in scalars_set(body) if OWN not in name}
    read = {name for node in statements_in(body) for each in expressions(node) for name in read_in(each)}
    own = Names({*unit.taken, *OWN_NAMES})
    outer = {name.partition(".")[0] for name in read - set(assigned)}
    scope = Scope(own, unit.types, outer, kept=unit.members, counted=unit.counted)
    statements = Statements(scope, unit, Declared(frozenset(), assigned))
    for variable, dtype in sorted(assigned.items()):
        statements.line(f"{CTYPES[dtype]} {own.of(variable)} = kept->{unit.members[variable]};")
    statements.number("0")
    statements.block(body)
    for variable in sorted(assigned):
        statements.line(f"kept->{unit.members[variable]} = {own.of(variable)};")
    arguments = of_scope(scope, frozenset(step.arrays_written))
    if assigned:
        rest = [a for a in arguments if a.kind != "kept"]
        place = next((k for k, a in enumerate(rest) if a.kind == "faults"), len(rest))
        arguments = [*rest[:place], Argument("kept", "kept"), *rest[place:]]
    return Kernel(name, kernel_text(name, arguments, statements.finished(), scope), tuple(arguments))


def _of_step(step: Serial, program: Program) -> tuple[Statement, ...]:
    """What a serial step has become in the program."""
    nodes = set(small_statements(step.statements))
    return tuple(s for s in statements_in(program.body) if getattr(s, "origin", NOWHERE).node in nodes)
