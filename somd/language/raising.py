"""The exception of a `raise` or `assert` statement, made by running that statement again with the values it had.

In: the statement as its author wrote it, and what the parts of it that a method computes were when it was reached.
Out: the exception that plain Python raises there: its class, arguments, text and cause are those of the statement, and
its traceback names the author's line. Names that the method does not assign mean what they mean in Python at that
moment. The compiler finds the parts (`values_of`); this module knows nothing of targets.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np

from somd.syntax import module_of

#: what a value is: a dtype of NumPy's, one of Python's own numbers, or a tuple of such
Kind = str | tuple["Kind", ...]
#: file, line, column and text of a statement, its function (name, and number among those that a call reaches), and
#: text and kind of each value
Row = tuple[str, int, int, str, str, int, tuple[tuple[str, Kind], ...]]
#: how many faults a device notes in a phase, of which the lowest one counts
FAULT_ROWS = 1024
#: the kind of a value that is given as it is in plain Python
AS_IT_IS = ""
_PYTHON: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "complex": complex}
BOUND = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


@dataclass(frozen=True)
class Place:
    """Where a statement stands: its file, and what names mean there."""

    file: str
    names: dict[str, Any]
    #: of functions around
    outer: Mapping[str, Any]


def place_of(function: FunctionType) -> Place:
    """The place of the statements of a function, with the values that its names have now."""
    outer: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            outer[name] = cell.cell_contents
        except ValueError:
            continue
    return Place(function.__code__.co_filename, function.__globals__, outer)


@dataclass(frozen=True)
class Raises:
    """The table of the statements of a generated module; `functions` are those that the method reaches, its own first,
    or, for a module that was translated, a function that gives the names which the statements need."""

    rows: Mapping[int, Row]
    functions: Sequence[FunctionType] = ()
    names: Callable[[], Mapping[str, Any]] | None = None

    @property
    def slots(self) -> int:
        """The most words of 64 bits that the values of a statement take."""
        return max((slots(kind for _, kind in row[6]) for row in self.rows.values()), default=0)

    def exception(self, site: int, values: Sequence[Any]) -> BaseException:
        """What the statement of a site raises, for its values in order, tuples taken apart."""
        row = self.rows[site]
        number = row[5]
        if number < len(self.functions):
            place = place_of(self.functions[number])
        else:
            place = Place(row[0], {}, {} if self.names is None else self.names())
        given = iter(values)
        return _exception(row, [typed(given, kind) for _, kind in row[6]], place)

    def from_words(self, site: int, words: Sequence[int], float32: Callable[[int], float]) -> BaseException:
        """As `exception`, for values that come as words: integers as they are, floats by their bits; `float32` reads
        one of single precision."""
        kinds = flat(kind for _, kind in self.rows[site][6])
        values, at = [], 0
        for kind in kinds:
            count = _words(kind)
            values.append(_decoded(words[at : at + count], kind, float32))
            at += count
        return self.exception(site, values)


def as_double(word: int) -> float:
    """The float with the bits of a word."""
    return float(np.int64(word).view(np.float64))


def as_single(word: int) -> float:
    """The float of single precision with the bits of the lower half of a word."""
    return float(np.int64(word).astype(np.int32).view(np.float32))


def flat(kinds: Any) -> list[str]:
    """The kinds of numbers, tuples taken apart."""
    found: list[str] = []
    for kind in kinds:
        found += [kind.removeprefix("np.")] if isinstance(kind, str) else flat(kind)
    return found


def slots(kinds: Any) -> int:
    """How many words values take."""
    return sum(map(_words, flat(kinds)))


def fault_row(values: int) -> int:
    """The words of a fault that a device notes: iteration, site, and the index or so many values."""
    return 2 + max(values, 1)


def _words(kind: str) -> int:
    return 2 if kind.startswith("complex") else 1


def _decoded(words: Sequence[int], kind: str, float32: Callable[[int], float]) -> Any:
    if kind.startswith("complex"):
        part = float32 if kind == "complex64" else as_double
        return complex(part(words[0]), part(words[1]))
    if kind.startswith("float"):
        return (float32 if kind == "float32" else as_double)(words[0])
    return int(words[0]) % 2**64 if kind.startswith("uint") else int(words[0])


def typed(values: Any, kind: Kind) -> Any:
    """The next of `values` (an iterator) as what it is in plain Python."""
    if isinstance(kind, tuple):
        return tuple([typed(values, part) for part in kind])
    value = next(values)
    if kind == AS_IT_IS:
        return value
    if kind in _PYTHON:
        return _PYTHON[kind](value)
    return np.dtype(kind.removeprefix("np.")).type(value)


def _exception(row: Row, values: Sequence[Any], place: Place) -> BaseException:
    file, line, column, name, text, _, parts = row
    arguments = dict(zip((part for part, _ in parts), values, strict=True))
    code, parameters = statement_code(text, tuple(arguments), (place.file, line, column), name, tuple(place.outer))
    given = [arguments[p] if p in arguments else place.outer[p] for p in parameters]
    try:
        FunctionType(code, place.names, name)(*given)
    except BaseException as error:
        found = error.__traceback__
        return error.with_traceback(None if found is None else found.tb_next)
    raise AssertionError(f"{os.path.basename(file)}, line {line}: the statement raises nothing")


def statement_code(
    text: str, values: Sequence[str], where: tuple[str, int, int], name: str, outer: Sequence[str]
) -> tuple[CodeType, tuple[str, ...]]:
    """The code of a function that runs a `raise` or `assert` statement, and whose values its parameters are: those of
    `values`, by text, and names of the functions around."""
    file, line, column = where
    statement = statement_of(text)
    taken = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    parameters: dict[str, str] = {}
    for value in values:
        parameters[value] = value if value.isidentifier() else _fresh(f"value_{len(parameters)}", taken)
    made = _Given(parameters).visit(statement)
    if isinstance(made, ast.Assert):  # its test is what failed
        made.test = ast.copy_location(ast.Constant(False), made.test)
    around = [each for each in outer if each in taken and each not in parameters]
    arguments = [ast.arg(each) for each in (*parameters.values(), *around)]
    function = ast.FunctionDef("f", ast.arguments([], arguments, None, [], [], None, []), [made], [])
    function.lineno, function.col_offset = 1, 0
    function.end_lineno, function.end_col_offset = made.end_lineno, made.end_col_offset
    for node in ast.walk(made):
        if getattr(node, "lineno", 0) == 1:
            node.col_offset += column  # type: ignore[attr-defined]
        if getattr(node, "end_lineno", 0) == 1:
            node.end_col_offset += column  # type: ignore[attr-defined]
    module = ast.Module([function], [])
    if hasattr(function, "type_params"):
        function.type_params = []
    ast.increment_lineno(ast.fix_missing_locations(module), line - 1)
    whole = compile(module, file, "exec", dont_inherit=True, optimize=0)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    return code.replace(co_name=name, co_qualname=name), (*parameters, *around)


def statement_of(text: str) -> ast.Raise | ast.Assert:
    """The statement of a text, parsed."""
    return cast("ast.Raise | ast.Assert", module_of(text).body[0])


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class _Given(ast.NodeTransformer):
    """Puts parameters in place of the expressions whose values are given."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = parameters

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and not isinstance(node, ast.Constant | ast.JoinedStr):
            name = self.parameters.get(ast.unparse(node))
            if name is not None:
                return ast.copy_location(ast.Name(name, ast.Load()), node)
        return self.generic_visit(node)
