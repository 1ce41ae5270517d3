"""A function of the loop program -> a C function."""

from __future__ import annotations

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import counting, declared_in
from somd.transforms.loops.program import Function, Return

#: how a function is told whether the iteration that calls it has failed
TOLD = {"noted": "const fault_first *{}, long iteration", "faults": "__global volatile long *faults, long iteration"}


def function_text(function: Function, name: str, unit: Unit, told: str = "") -> str:
    """The C function; those that it calls are entered in `unit` before it. One that is `told` by what is noted, or by
    the record of faults, whether the iteration has failed, ends where it has."""
    parameters = [parameter.name for parameter in function.parameters]
    scope = Scope(Names(unit.taken), counted=counting(function.body, parameters))
    if told == "noted":
        scope.noted = f"(*{scope.names.fresh('noted')})"
    scope.tests_accesses = bool(told)
    given = [(parameter.type.dtype, unit.printed(scope.value(parameter)).text) for parameter in function.parameters]
    declared = declared_in(function.body, parameters)
    write = Statements(scope, unit, declared)
    for declaration in declarations(declared.private, scope):
        write.line(declaration)
    write.block(function.body)
    dtypes = [part.dtype for part in function.result]
    if len(dtypes) == 1 and not isinstance(function.body[-1], Return):
        write.line(f"return {zero(dtypes[0])};")
    result = CTYPES[dtypes[0]] if len(dtypes) == 1 else unit.struct(dtypes)
    taken = ", ".join(
        [f"{CTYPES[dtype]} {text}" for dtype, text in given] + ([TOLD[told].format(scope.noted[2:-1])] if told else [])
    )
    return "\n".join([f"static {result} {name}({taken or 'void'})", "{", *write.finished(), "}"])
