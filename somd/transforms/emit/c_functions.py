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


def function_text(function: Function, name: str, unit: Unit) -> str:
    """The C function; those that it calls are entered in `unit` before it."""
    parameters = [parameter.name for parameter in function.parameters]
    scope = Scope(Names(unit.taken), counted=counting(function.body, parameters))
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
    taken = ", ".join(f"{CTYPES[dtype]} {text}" for dtype, text in given)
    return "\n".join([f"static {result} {name}({taken or 'void'})", "{", *write.finished(), "}"])
