"""Functions, lambdas and classes as Python makes them, of parts that have been evaluated.

In: a definition and its scope. Out: the function, with the code that compiling the whole file gives, or the class.
Metaclasses and `__init_subclass__` of the user's would run, so such classes are `Refused`.
"""

from __future__ import annotations

import abc
import ast
import copy
import enum
import sys
import types
import typing
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from somd.capture.attributes import NotRun
from somd.sources.excerpt.allowed import is_library_base, own_classes, special_classes
from somd.sources.excerpt.calls import Written
from somd.sources.excerpt.expressions import Expressions
from somd.sources.excerpt.scope import Refused, Scope
from somd.sources.scan import Definition

if TYPE_CHECKING:
    from somd.sources.excerpt.statements import Statements

#: special methods that nothing calls unseen
_SEEN = frozenset(
    f"__{name}__"
    for name in (
        *(
            "init",
            "post_init",
            "call",
            "enter",
            "exit",
            "module",
            "qualname",
            "doc",
            "annotations",
            "slots",
            "match_args",
        ),
        *("classcell", "orig_bases", "annotate", "annotate_func", "firstlineno", "static_attributes"),
    )
)
_OF_ENUMS = frozenset(("_missing_", "_generate_next_value_"))


def function_of_definition(run: Statements, node: Definition, scope: Scope) -> FunctionType:
    """The function that a `def` makes, decorators aside."""
    if scope.kind not in ("module", "class"):
        raise Refused("a function that is defined in a function")
    if getattr(node, "type_params", None):
        raise Refused("a generic function")
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    code = scope.unit.codes.get((node.name, first))
    if code is None:
        raise Refused("a definition that is not reached")
    made = _function(run, code, node.args, scope)
    made.__annotations__ = _annotations(run, node, scope)
    if scope.kind == "class":
        made.__qualname__ = f"{scope.qualname}.{node.name}"
    run.functions[code] = Written(node, scope.unit)
    run.made.append((made, scope))
    return made


def function_of_lambda(run: Statements, node: ast.Lambda, scope: Scope) -> FunctionType:
    """The function that a lambda makes."""
    plain = copy.deepcopy(node)  # without the code of what stands in defaults
    plain.args.defaults = [ast.copy_location(ast.Constant(0), each) for each in plain.args.defaults]
    plain.args.kw_defaults = [each and ast.copy_location(ast.Constant(0), each) for each in plain.args.kw_defaults]
    whole = compile(ast.Expression(plain), scope.unit.source.file, "eval", dont_inherit=True)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    around: Scope | None = scope
    while around is not None and around.kind != "class":
        if (around.locals or around.own) and any(isinstance(each, ast.Name) for each in ast.walk(node.body)):
            raise Refused("a lambda in a function or comprehension")
        around = around.outer
    made = _function(run, code, node.args, scope)
    run.functions[code] = Written(node, scope.unit)
    return made


def _function(run: Statements, code: CodeType, given: ast.arguments, scope: Scope) -> FunctionType:
    if any(name != "__class__" for name in code.co_freevars):
        raise Refused("a function that uses variables of another one")
    if code.co_freevars and scope.cell is None:
        scope.cell = CellType()
    closure = (scope.cell,) if code.co_freevars and scope.cell is not None else None
    inner = Expressions(run, scope)
    defaults = tuple(inner.elements(given.defaults))
    made = FunctionType(code, scope.globals, code.co_name, defaults or None, closure)
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    made.__kwdefaults__ = {arg.arg: inner.value(value) for arg, value in pairs if value is not None} or None
    return made


def _annotations(run: Statements, node: Definition, scope: Scope) -> dict[str, Any]:
    given = node.args
    arguments = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    found = [(each.arg, each.annotation) for each in arguments if each is not None]
    found.append(("return", node.returns))
    return {name: run.annotation(each, scope) for name, each in found if each is not None}


def class_of(run: Statements, node: ast.ClassDef, scope: Scope) -> type:
    """The class that a `class` statement makes, decorators aside."""
    if scope.kind not in ("module", "class") or getattr(node, "type_params", None):
        raise Refused("a class in a function" if scope.kind != "class" else "a generic class")
    inner = Expressions(run, scope)
    given = tuple(inner.elements(node.bases))
    keywords = {each.arg: inner.value(each.value) for each in node.keywords if each.arg is not None}
    _check_bases(given, keywords.get("metaclass"))
    bases = types.resolve_bases(given)
    for base in bases:
        if not is_library_base(base) or any(
            "__init_subclass__" in vars(each) for each in base.__mro__ if each in own_classes
        ):
            raise Refused(f"the `__init_subclass__` of a base of `{node.name}`")
    kind, names, keywords = types.prepare_class(node.name, bases, keywords)
    if kind not in _METACLASSES:
        raise Refused(f"the metaclass `{kind.__name__}`")
    if issubclass(kind, enum.EnumMeta):
        _check_enum(node, bases)
    qualname = f"{scope.qualname}.{node.name}" if scope.kind == "class" else node.name
    names["__module__"], names["__qualname__"] = scope.globals["__name__"], qualname
    doc = ast.get_docstring(node, clean=False)
    if doc is not None:
        names["__doc__"] = doc
    if sys.version_info >= (3, 13):
        names["__firstlineno__"] = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    body = Scope(scope.unit, names, kind="class", qualname=qualname)
    run.body(node.body, body)
    names["__module__"] = scope.globals["__name__"]
    if body.cell is not None:
        names["__classcell__"] = body.cell
    if given != bases:
        names["__orig_bases__"] = given
    unknown = next((value for value in names.values() if isinstance(value, NotRun)), None)
    needed = any(isinstance(value, NotRun) and name.startswith("__") for name, value in names.items())
    if unknown is not None and (needed or kind is not type):
        raise Refused("", unknown)
    special = any(map(_is_special, names)) or any(each in special_classes for base in bases for each in base.__mro__)
    if special and issubclass(kind, enum.EnumMeta):
        raise Refused("an enumeration with special methods")
    made: type = kind(node.name, bases, names, **keywords)
    own_classes.add(made)
    if special:
        special_classes.add(made)
    return made


_METACLASSES: tuple[type, ...] = (
    type,
    abc.ABCMeta,
    enum.EnumMeta,
    type(typing.Protocol),
    *(type(each) for each in (typing.NamedTuple("_Pair", [("x", int)]),)),
    getattr(typing, "NamedTupleMeta", type),
    getattr(typing, "_TypedDictMeta", type),
)


def _check_bases(given: tuple[Any, ...], metaclass: Any) -> None:
    for base in given:
        of_typing = type(base).__module__ in ("typing", "typing_extensions", "types")
        if not isinstance(base, type) and not of_typing and base not in (typing.NamedTuple, typing.TypedDict):
            raise Refused("a base that is no class")
    if metaclass is not None and metaclass not in _METACLASSES:
        raise Refused("a metaclass")


def _check_enum(node: ast.ClassDef, bases: tuple[type, ...]) -> None:
    for kind in {kind for base in bases for kind in base.__mro__}:
        if kind not in own_classes and kind.__module__ not in ("builtins", "enum"):
            raise Refused(f"an enumeration of `{kind.__name__}`")
    for each in node.body:
        if isinstance(each, Definition) and (each.name in _OF_ENUMS or each.name.startswith("__")):
            raise Refused(f"an enumeration with a method `{each.name}`")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _SEEN
