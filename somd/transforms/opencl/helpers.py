"""A helper function, for given argument types -> a C function."""

from __future__ import annotations

import libcst as cst

from somd.settings.targets import TargetLacks
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_names import Names
from somd.transforms.opencl.c_statements import Statements
from somd.transforms.opencl.c_types import CTYPES, zero
from somd.transforms.opencl.locals import declarations, loop_scoped
from somd.transforms.opencl.scope import Scope
from somd.transforms.opencl.unit import Unit
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.types.scalars import ScalarType, TupleType, Type
from somd.transforms.types.typing_table import HelperInstance


def helper_text(instance: HelperInstance, name: str, unit: Unit) -> str:
    """The C function of a helper; those that it calls are entered in `unit` before it."""
    method, result = instance.method, instance.types.result
    scope = Scope(method, instance.types, Names(unit.taken))
    parameters = []
    for parameter, given in zip(method.param_names, instance.arguments, strict=True):
        assert isinstance(given, ScalarType)
        wanted = instance.types.names.get(parameter, given)
        dtype = wanted.dtype if isinstance(wanted, ScalarType) else given.dtype
        parameters.append(f"{CTYPES[dtype]} {scope.names.of(parameter)}")
    body = statements_of(method.function.body)
    scoped = loop_scoped(body) - set(method.param_names)
    statements = Statements(Expressions(scope, unit), scoped, result=result)
    own = assigned_names(method.function.body) - set(method.param_names) - scoped
    for declaration in declarations(own, scope):
        statements.line(declaration)
    statements.block(body)
    if not isinstance(list(small_statements(body))[-1], cst.Return) and isinstance(result, ScalarType):
        statements.line(f"return {zero(result.dtype)};")
    head = f"static {_result_type(result, instance, unit)} {name}({', '.join(parameters) or 'void'})"
    return "\n".join([head, "{", *statements.lines, "}"])


def _result_type(result: Type | None, instance: HelperInstance, unit: Unit) -> str:
    if isinstance(result, ScalarType):
        return CTYPES[result.dtype]
    if isinstance(result, TupleType) and all(isinstance(part, ScalarType) for part in result.elements):
        return unit.struct(result)
    where = instance.method.positions.get(instance.method.function)
    raise TargetLacks(f"`{instance.method.name}` returns something else than numbers", where)
