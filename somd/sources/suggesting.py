"""Markers for plain functions: those with which the compiler proves the loops, found by trying.

In: a Python file. Out: its text with markers on the functions that can be SOMD methods, what was proved of each, and
why others were left alone. The text is tried as a module of the file's name; nothing is written.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from somd.capture.attributes import NotKnownYet
from somd.capture.reaching import reach_of_source
from somd.errors import SomdCompileError, SomdError
from somd.sources.load import Method, function_of, load_text
from somd.sources.problems import FileProblem
from somd.sources.scan import read_source
from somd.syntax import module_of
from somd.transforms.frontend.annotate import Plain, annotated, plain_functions
from somd.transforms.pipeline import check
from somd.transforms.plan.proofs import proofs

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Proposal:
    """A function: the parameters to distribute with what is proved then, or why there is no proposal."""

    qualname: str
    line: int
    arrays: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class Suggested:
    """A file before and after, with its byte-order mark if it has one, and what is said of its functions."""

    path: Path
    before: str
    after: str
    proposals: tuple[Proposal, ...]
    encoding: str


def suggest(path: Path, *, whole: bool = False) -> Suggested:
    """The markers for the functions of a file; with `whole`, the file is imported for each choice that is tried.

    Raises:
        FileProblem: it cannot be read, is not Python, or raises when it is imported.
    """
    tree = read_source(path)
    text, encoding = text_of(path)
    mark = BYTE_ORDER_MARK if encoding == "utf-8-sig" else ""
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise FileProblem(str(path), f"cannot be rewritten: {error.message}", error.raw_line) from None
    except cst.CSTValidationError as error:  # of words beside brackets that libcst does not know
        raise FileProblem(str(path), f"cannot be rewritten: {error}") from None
    lines = {name: first for name, (first, _) in _spans(tree.body, ())}
    proposals = []
    for plain in plain_functions(module):
        line = lines.get(plain.qualname, 1)
        if plain.why_not:
            proposals.append(Proposal(plain.qualname, line, why_not=plain.why_not))
        else:
            proposals.append(_proposal(path, module, plain, line, whole))
    wanted = {each.qualname: each.arrays for each in proposals if each.arrays}
    after = annotated(module, wanted).code if wanted else text
    return Suggested(path, mark + text, mark + after, tuple(proposals), "utf-8" if mark else encoding)


def suggest_in(path: Path, text: str, lines: tuple[int, int]) -> Iterator[tuple[Proposal, str]]:
    """The markers for the plain functions among these lines of `text`, were it that of the file `path`: each function
    with the text that has its markers.

    Raises:
        FileProblem: it cannot be evaluated.
        SyntaxError: it is not Python.
    """
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError) as error:
        raise FileProblem(str(path), f"cannot be rewritten: {error}") from None
    spans = dict(_spans(module_of(text).body, ()))
    for plain in plain_functions(module):
        first, last = spans.get(plain.qualname, (1, 0))
        if plain.why_not or last < lines[0] or first > lines[1]:
            continue
        found = _proposal(path, module, plain, first, whole=False)
        if found.arrays:
            yield found, annotated(module, {plain.qualname: found.arrays}).code


def text_of(path: Path) -> tuple[str, str]:
    """The text of a file and its encoding, which a byte-order mark or a comment in it tells (PEP 263)."""
    try:
        data = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except OSError as error:
        raise FileProblem(str(path), f"cannot read the file: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileProblem(str(path), f"not text in the encoding {error.encoding}, which it has", line) from None
    except SyntaxError:  # somewhere in its first two lines, or of a name that is no encoding's
        message = "not UTF-8 text; if it is in another encoding, let its first line say so: `# coding: latin-1`"
        raise FileProblem(str(path), message) from None
    except (LookupError, ValueError) as error:
        raise FileProblem(str(path), f"its encoding cannot be told: {error}") from None


def _proposal(path: Path, module: cst.Module, plain: Plain, line: int, whole: bool) -> Proposal:
    """The first choice of arrays that the compiler accepts."""
    reasons: list[str] = []
    for arrays in _choices(plain):
        text = annotated(module, {plain.qualname: arrays}).code
        file = f"<suggested: {path.name}, {plain.qualname}, {' '.join(arrays)}>"
        loaded = load_text(path, text, file, whole=whole)
        method = next((m for m in loaded.methods if function_of(m).__qualname__ == plain.qualname), None)
        if method is None:
            why = next((each.why for each in loaded.unreached if each.qualname == plain.qualname), "")
            reasons.append(why or "importing the file does not define it")
            continue
        try:
            proved = _proved(method, line)
            if proved is not None:
                return Proposal(plain.qualname, line, arrays, tuple(proved))
            reasons.append("its loops run in order: there is nothing to distribute")
        except NotKnownYet as what:
            reasons.append(what.why)
        except SomdCompileError as error:
            first = error.diagnostics[0]
            reasons.append(f"{first.message} [{first.code}]")
        except (SomdError, AttributeError) as error:
            reasons.append(str(error).splitlines()[0])
    return Proposal(plain.qualname, line, why_not=reasons[0])


def _choices(plain: Plain) -> Iterator[tuple[str, ...]]:
    """All arrays; those that are written; each alone."""
    yield from dict.fromkeys((plain.arrays, plain.written or plain.arrays, *((name,) for name in plain.arrays)))


def _proved(method: Method, line: int) -> Iterator[str] | None:
    """What is proved of the loops that are distributed; None if none is."""
    function = function_of(method)
    plan = check(function, reach_of_source(function, method.owner))
    if not plan.phases():
        return None
    shift = line - plan.method.position(plan.method.function.name).line
    return proofs(plan, shift)


def _spans(body: list[ast.stmt], around: tuple[str, ...]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The functions of a file with their first and last lines."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield ".".join((*around, node.name)), (node.lineno, node.end_lineno or node.lineno)
        elif isinstance(node, ast.ClassDef):
            yield from _spans(node.body, (*around, node.name))
