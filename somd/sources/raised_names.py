"""What the exceptions of a translated module are made of, as text: a function that imports it when something is raised.

    def f_raises():
        \"\"\"What the exceptions of `f` are made of.\"\"\"
        from errors import Bad
        return locals()

Classes and functions of the user's are imported by their names, not written out: `except errors.Bad` must catch what
the module raises.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType

from somd.capture.annotations import namespace_of
from somd.language.raising import statement_of
from somd.sources.written_out import NotWritable
from somd.transforms.stages import Plan, Raising

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def raised_names(plan: Plan) -> str | None:
    """The text of the function, called `<method>_raises`; None if exceptions need nothing of the user's.

    Raises:
        NotWritable: a value cannot be imported by its name, or two functions mean different things by one name.
    """
    lines: dict[str, str] = {}
    for site in plan.raises.values():
        for name, value in _needed(site.raising).items():
            line = _line(name, value)
            if lines.setdefault(name, line) != line:
                raise NotWritable.of(name, value)
    if not lines:
        return None
    name = plan.method.name
    body = "".join(f"    {line}\n" for line in lines.values())
    return f'def {name}_raises():\n    """What the exceptions of `{name}` are made of."""\n{body}    return locals()\n'


def _needed(raising: Raising) -> Mapping[str, object]:
    """What the names in a statement stand for, but those whose values it is given and Python's own."""
    statement = statement_of(raising.text)
    if isinstance(statement, ast.Assert):
        statement.test = ast.Constant(False)
    known = namespace_of(raising.function)
    free = dict.fromkeys(_free(statement, frozenset(raising.values)))
    return {name: known[name] for name in free if known.get(name, _OWN) is not getattr(builtins, name, _OWN)}


_OWN = object()


def _free(node: ast.AST, values: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.expr) and not isinstance(node, ast.JoinedStr) and ast.unparse(node) in values:
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _free(child, values)


def _line(name: str, value: object) -> str:
    """The line that gives `value` a name."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    if isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(isinstance(v, _PLAIN) for v in value)):
        return f"{name} = {value!r}"
    plain = getattr(value, "somd_function", value)
    if isinstance(plain, FunctionType | type):
        first, _, rest = plain.__qualname__.partition(".")
        if plain.__module__ != "__main__" and "<locals>" not in plain.__qualname__ and _stands(plain, value):
            place = f"from {plain.__module__} import {first}"
            if rest:
                return f"{place}; {name} = {plain.__qualname__}"
            return place if first == name else f"{place} as {name}"
    raise NotWritable.of(name, value)


def _stands(plain: FunctionType | type, value: object) -> bool:
    """Whether the name of a class or function stands for it, as far as its module is loaded."""
    found: object = sys.modules.get(plain.__module__, value)
    for part in plain.__qualname__.split(".") if found is not value else ():
        found = getattr(found, part, None)
    return found is value
