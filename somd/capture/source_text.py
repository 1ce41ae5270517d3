"""The text of a function: taken once, and known to be what the function object was compiled from.

In: a function object. Out: its `SourceText`. A file may be edited, a module reloaded or a notebook's cell run again
while functions of the text before are alive; a text is therefore compiled and compared with the function's code,
instruction by instruction, with constants, names and places. A text that was seen when a method of the file was defined
goes first. It imports nothing of the compiler, so calls may use it.
"""

from __future__ import annotations
import __future__

import ast
import copy
import dis
import inspect
import itertools
import linecache
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from somd.syntax import module_of

Lines = tuple[str, ...]
_HERE: Any = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
#: flags that tell where a function stands, not what it does: CO_NESTED, and CO_METHOD of Python 3.14
_PLACE = 0x10 | 0x8000000
_NAMES = ("LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "STORE_FAST_LOAD_FAST")
_ATTR_MAY_BE_METHOD = sys.version_info >= (3, 12)
#: texts of one file that are remembered, the newest first
_MOST_TEXTS = 4


class NoSource(Exception):
    """There is no text of a function; `changed` where there is one, but not the one that it was compiled from."""

    def __init__(self, changed: bool) -> None:
        super().__init__("another text" if changed else "no text")
        self.changed = changed


@dataclass(frozen=True, eq=False)
class SourceText:
    """The lines of a definition with its decorators, from line `first_line` on; `tree` is None for a lambda."""

    lines: Lines
    first_line: int
    tree: ast.FunctionDef | ast.AsyncFunctionDef | None


_taken: WeakKeyDictionary[FunctionType, tuple[CodeType, SourceText]] = WeakKeyDictionary()
_files: dict[str, list[Lines]] = {}


def source_of(function: FunctionType) -> SourceText:
    """The text of `function` as it is now: that of its `__code__`.

    Raises:
        NoSource: there is none, or only one that its code was not compiled from.
    """
    code = function.__code__
    known = _taken.get(function)
    if known is not None and known[0] is code:
        return known[1]
    found = _found(function, [*_files.get(code.co_filename, ()), *_now(function)])
    _taken[function] = code, found
    return found


def take_source(function: FunctionType) -> None:
    """Take the text of a function that has just been defined, before its file can change; that of its file is kept for
    the functions that it calls."""
    file = function.__code__.co_filename
    texts = list(_now(function))
    try:
        _taken[function] = function.__code__, _found(function, texts)
    except NoSource:
        return
    kept = _files.setdefault(file, [])
    kept[:] = list(dict.fromkeys([texts[0], *kept]))[:_MOST_TEXTS]


def line_of(file: str, line: int) -> str:
    """Line `line` (from 1) of a file, as it was when a method of the file was defined; "" where there is none."""
    for text in _files.get(file, ())[:1]:
        return text[line - 1] if 1 <= line <= len(text) else ""
    return linecache.getline(file, line)


def _now(function: FunctionType) -> Iterator[Lines]:
    """The text that the file of a function has now."""
    file = function.__code__.co_filename
    try:
        linecache.checkcache(file)
        lines = linecache.getlines(file, function.__globals__)
    except Exception:  # whatever a loader of the user's does
        return
    if lines:
        yield tuple(lines)


def _found(function: FunctionType, texts: Sequence[Lines]) -> SourceText:
    for text in texts:
        found = _at(text, function.__code__)
        if found is not None and (found.tree is None or _is_of(found.tree, function)):
            return found
    raise NoSource(changed=bool(texts))


def _at(text: Lines, code: CodeType) -> SourceText | None:
    """What is defined where the code says; None where that is no definition of this name."""
    first = max(code.co_firstlineno, 1)
    if first > len(text):
        return None
    try:
        lines = tuple(inspect.getblock(text[first - 1 :]))
        indented = bool(lines) and lines[0][:1].isspace()
        module = module_of("".join(("if 1:\n" if indented else "", *lines)))
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError):
        # a lambda's lines need not be whole statements
        return SourceText(tuple(text[first - 1 : first]), first, None) if code.co_name == "<lambda>" else None
    node: ast.AST | None = module.body[0] if module.body else None
    if indented and isinstance(node, ast.If):
        node = node.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == code.co_name:
        return SourceText(lines, first, ast.increment_lineno(node, first - 1 - indented))
    return SourceText(lines, first, None) if code.co_name == "<lambda>" else None


def _is_of(tree: ast.FunctionDef | ast.AsyncFunctionDef, function: FunctionType) -> bool:
    """Whether compiling `tree` gives the code of `function`."""
    plain = _in_place(tree, function.__code__)
    if _gives(plain, function):
        return True
    imports = [ast.Import([ast.alias(name, **_HERE)], **_HERE) for name in sorted(_imported(function.__code__))]
    module = ast.Module([*imports, *plain.body], [])
    if imports and _gives(module, function):
        return True
    rewritten = _with_pytests_asserts(module, function)
    return rewritten is not None and _gives(rewritten, function)


def _in_place(tree: ast.FunctionDef | ast.AsyncFunctionDef, code: CodeType) -> ast.Module:
    """A module in which the definition meets the same class, for private names, and the same variables around it."""
    body: ast.stmt = tree
    parts = code.co_qualname.split(".")
    around = [one for one, inner in itertools.pairwise(parts) if "<locals>" not in (one, inner)]
    if around:
        body = _parsed(f"class {around[-1]}: pass", body)
    free = [name for name in code.co_freevars if name != "__class__" and name.isidentifier()]
    if free:
        body = _parsed(f"def around({', '.join(free)}): pass", body)
    return ast.Module([body], [])


def _imported(code: CodeType) -> set[str]:
    """Names that the module imports, as far as it matters: `name.f(x)` is then compiled as no call of a method."""
    plain: set[str] = set()
    methods: set[str] = set()
    waiting = [code]
    while waiting:
        each = waiting.pop()
        waiting += [inner for inner in each.co_consts if isinstance(inner, CodeType)]
        last = None
        for step in dis.get_instructions(each):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and last is not None and last.opname.startswith(_NAMES):
                method = step.opname == "LOAD_METHOD" or (_ATTR_MAY_BE_METHOD and bool((step.arg or 0) & 1))
                (methods if method else plain).add(last.argval[-1] if type(last.argval) is tuple else last.argval)
            last = step
    return plain - methods


def _parsed(text: str, inner: ast.stmt) -> ast.stmt:
    made: Any = module_of(text).body[0]
    made.body = [inner]
    return made  # type: ignore[no-any-return]


def _gives(module: ast.Module, function: FunctionType) -> bool:
    """Whether the code of `function` is among those of its name that a module holds."""
    wanted = function.__code__
    try:
        waiting = [compile(module, wanted.co_filename, "exec", wanted.co_flags & _FUTURES, dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    while waiting:
        code = waiting.pop()
        if code.co_name != wanted.co_name:
            waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
        elif _same(code, wanted):
            return True
    return False


def _with_pytests_asserts(module: ast.Module, function: FunctionType) -> ast.Module | None:
    """The module with `assert` statements as pytest writes them; None where pytest did not import the function."""
    rewriting = sys.modules.get("_pytest.assertion.rewrite")
    if rewriting is None or "@pytest_ar" not in function.__globals__:
        return None
    copied = copy.deepcopy(module)
    try:
        rewriting.rewrite_asserts(copied, b"")
    except Exception:  # another version of pytest: the function is refused
        return None
    return copied


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes are of one text at one place."""
    for name in ("co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_code", "co_names"):
        if getattr(one, name) != getattr(other, name):
            return False
    for name in ("co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable"):
        if getattr(one, name) != getattr(other, name):
            return False
    if (one.co_flags ^ other.co_flags) & ~_PLACE or len(one.co_consts) != len(other.co_consts):
        return False
    if not all(map(_same_constant, one.co_consts, other.co_consts)):
        return False
    # columns are missing where Python runs with -X no_debug_ranges
    places = zip(one.co_positions(), other.co_positions(), strict=True)
    return all(mine == theirs or (None in theirs and mine[0] == theirs[0]) for mine, theirs in places)


def _same_constant(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _same(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same_constant, one, other))
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    if isinstance(one, slice) and isinstance(other, slice):
        return all(getattr(one, k) == getattr(other, k) for k in ("start", "stop", "step"))
    return repr(one) == repr(other)
