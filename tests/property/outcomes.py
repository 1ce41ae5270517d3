"""What a call of a mixed program should do, and whether it did: plain Python is the judge.

The plain function is the text without `@somd`. Where Python's ints may leave 64 bits, its literals and int arguments
are `Wrapped`, which wrap there, as docs/limits.md says; what else is stated there is left out of the comparison.
"""

from __future__ import annotations

import ast
import linecache
import operator
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from tests.differential.harness import assert_same, assert_same_exception, duplicate
from tests.property.calls import Call
from tests.property.mixed import Mixed

#: what plain Python raises where the documentation says that a method does not
DOCUMENTED = (ZeroDivisionError, OverflowError, FloatingPointError, RecursionError, MemoryError)
TEXTS = (
    "'complex'",
    "Casting complex values",
    "math domain",
    "cannot convert float",
    "negative shift count",
    "out of bounds for",
    "Maximum allowed size",
    "array is too big",
)


@dataclass(frozen=True)
class Outcome:
    """Result and arguments after a call, or what it raised; `undefined` where the documentation promises nothing."""

    result: Any
    arguments: tuple[Any, ...]
    error: BaseException | None = None
    undefined: str = ""


@dataclass
class Types:
    """Parts of results that had NumPy's type where plain Python's is its own, and those of NumPy's type in plain
    Python: what is in both is a number that stays Python's where a loop has no turns (docs/limits.md)."""

    doubtful: dict[str, str] = field(default_factory=dict)
    numpys: set[str] = field(default_factory=set)


class Endless(BaseException):
    """A call took longer than a loop of so few turns can."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A block of Python code that ends by `Endless` after so many seconds; in the main thread alone."""

    def end(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Wrapped(int):
    """One of Python's ints as docs/limits.md has it: 64 bits wide, wrapping."""

    __array_ufunc__ = None


def _wrapping(name: str) -> None:
    plain = getattr(int, name)

    def method(self: Wrapped, *others: Any) -> Any:
        if any(isinstance(other, np.generic | float | complex) for other in others):
            if not isinstance(others[0], np.generic):
                return NotImplemented
            symbol = getattr(
                operator,
                {"and": "and_", "or": "or_"}.get(name.strip("_").removeprefix("r"), name.strip("_").removeprefix("r")),
            )
            return (
                symbol(others[0], int(self))
                if name.startswith("__r") and name not in ("__rshift__",)
                else symbol(int(self), others[0])
            )
        found = plain(self, *others)
        return wrapped(found) if type(found) is int else found

    setattr(Wrapped, name, method)


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
    _wrapping(f"__{_name}__")
    _wrapping(f"__r{_name}__")
for _name in ("neg", "pos", "abs", "invert"):
    _wrapping(f"__{_name}__")


def _compared(name: str) -> None:
    plain = getattr(int, name)

    def method(self: Wrapped, other: Any) -> Any:
        return (
            getattr(operator, name.strip("_"))(int(self), other)
            if isinstance(other, np.generic)
            else plain(self, other)
        )

    setattr(Wrapped, name, method)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _compared(f"__{_name}__")
Wrapped.__hash__ = int.__hash__  # type: ignore[method-assign]
Wrapped.__truediv__ = lambda self, other: int(self) / other  # type: ignore[method-assign,misc,assignment]
Wrapped.__rtruediv__ = lambda self, other: other / int(self)  # type: ignore[method-assign,misc,assignment]


def wrapped(value: int) -> Wrapped:
    return Wrapped((value + 2**63) % 2**64 - 2**63)


class _Literals(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is not int:
            return node
        made = ast.Call(ast.Name("__wrapped", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "int":
            node.func = ast.copy_location(ast.Name("__int", ast.Load()), node.func)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [self.visit(each) for each in node.defaults]
        return node


def namespace_of(text: str, file: str, wide: bool = False) -> dict[str, Any]:
    """The names that `text` defines, its lines known to `inspect` under the name `file`."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "generated"}
    tree: Any = ast.parse(text, file)
    if wide:
        tree = _Literals().visit(tree)
        names |= {"__wrapped": wrapped, "__int": lambda value: wrapped(int(value))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, file, "exec") if wide else compile(text, file, "exec"), names)
    return names


def plain_function(made: Mixed, file: str, wide: bool) -> FunctionType:
    """The method as plain Python, and what it calls too."""
    text = "\n".join("" if line == "@somd" else line for line in made.text.split("\n"))
    return namespace_of(text, file, wide)[made.name]  # type: ignore[no-any-return]


def outcome(call: Callable[..., Any], given: Call, wide: bool = False, seconds: float = 0) -> Outcome:
    """What `call` does to a copy of the arguments; undefined where it takes more than so many seconds."""
    own = duplicate(given.arguments)
    passed = [wrapped(each) if wide and type(each) is int and abs(each) <= 2**63 else each for each in own]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            with limited(seconds) if seconds else nullcontext():
                return Outcome(_unwrapped(call(*passed)), own)
    except Endless:
        return Outcome(None, own, None, "endless")
    except Exception as error:
        error.args = _unwrapped(error.args)
        text = str(error)
        if isinstance(error, DOCUMENTED) or (not isinstance(error, IndexError) and any(each in text for each in TEXTS)):
            return Outcome(None, own, error, f"{type(error).__name__}: {text}")
        return Outcome(None, own, error)


def _unwrapped(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_unwrapped(each) for each in result)
    return int(result) if isinstance(result, Wrapped) else result


def difference(
    wanted: Outcome, found: Outcome, tolerance: float, planned: bool = False, types: Types | None = None
) -> str:
    """In what `found` differs from `wanted`; empty where it does not. Of what `planned` code raises only class and text
    are compared. `types` notes where a number has NumPy's type and plain Python's is its own."""
    try:
        if wanted.error is not None or found.error is not None:
            if wanted.error is None or found.error is None:
                results = f"result {found.result!r} instead of {wanted.result!r}"
                return f"raised {found.error!r} instead of {wanted.error!r}, {results}"
            if type(found.error).__qualname__ == "Bad" == type(wanted.error).__qualname__:
                found.error.__class__ = type(wanted.error)  # each text has a class of its own
            told = f"raised {found.error!r} instead of {wanted.error!r}"
            if planned:
                same = type(found.error) is type(wanted.error) and (
                    isinstance(found.error, IndexError) or str(found.error) == str(wanted.error)
                )
                return "" if same else told
            try:
                assert_same_exception(found.error, wanted.error, "exception")
            except AssertionError as error:
                return f"{told}: {error}"
            return ""
        _same(found.result, wanted.result, tolerance, "result", types or Types())
        for k, (mine, theirs) in enumerate(zip(found.arguments, wanted.arguments, strict=True)):
            _same(mine, theirs, tolerance, f"argument {k}", Types())
            if isinstance(mine, np.ndarray):
                assert (found.result is mine) == (wanted.result is theirs), f"result is argument {k}"
    except AssertionError as error:
        return str(error) or "differs"
    return ""


def _same(found: Any, wanted: Any, tolerance: float, what: str, types: Types) -> None:
    """As the harness, but for numbers that stay Python's because a loop had no turns (docs/limits.md)."""
    if isinstance(wanted, tuple):
        assert isinstance(found, tuple) and len(found) == len(wanted), f"{what}: {found!r} instead of {wanted!r}"
        for k, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
            _same(mine, theirs, tolerance, f"{what}, part {k}", types)
        return
    if type(wanted) in (bool, int, float) and isinstance(found, np.generic):
        kinds = {bool: "b", int: "iu", float: "f"}[type(wanted)]
        assert found.dtype.kind in kinds or (type(wanted) is int and found.dtype.kind == "f"), (
            f"{what}: {found!r} instead of {wanted!r}"
        )
        types.doubtful.setdefault(what, f"{found!r} instead of {wanted!r}")
        wanted = found.dtype.type(wanted)
    elif isinstance(wanted, np.generic):
        types.numpys.add(what)
    assert_same(found, wanted, tolerance, what)
