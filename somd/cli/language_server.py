"""`somdc lsp`: the compiler for editors, by the Language Server Protocol (pygls).

Diagnostics of what is in the editor, as it is typed; on hover, what is distributed and what is checked; quick fixes
from helps that are edits, and markers for plain functions. Programs are not run: what methods need of a file is
evaluated as long as that has no effects.
"""

from __future__ import annotations

import ast
import difflib
import gc
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from somd import __version__
from somd.capture.attributes import LeftOut, NotKnownYet
from somd.capture.reaching import reach_of_source
from somd.diagnostics.model import Diagnostic, Position
from somd.errors import SomdCompileError, SomdError
from somd.sources.checking import Checked
from somd.sources.fixes import fixes_of, lines_of
from somd.sources.fixing import Edit, edits_of
from somd.sources.load import Loaded, function_of, load_text
from somd.sources.problems import FileProblem
from somd.syntax import module_of

log = logging.getLogger(__name__)
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


@dataclass
class Document:
    """What is known of a text in the editor: its version, its methods, and what is wrong with them."""

    version: int | None = None
    text: str = ""
    loaded: Loaded | None = None
    found: list[Diagnostic] = field(default_factory=list)


def server() -> LanguageServer:
    """A server, ready to be started."""
    made = LanguageServer("somd", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
    documents: dict[str, Document] = {}

    def look(uri: str) -> Document:
        """What is known of the text as it is now."""
        text = made.workspace.get_text_document(uri)
        known = documents.get(uri)
        if known is None or known.version != text.version or known.text != text.source:
            known = documents[uri] = looked_at(uri, text.source, text.version, known)
        return known

    def publish(uri: str) -> None:
        begun = time.perf_counter()
        gc.disable()  # collecting trees that nobody holds takes as long as checking a file: behind the answer
        try:
            known = look(uri)
            shown = [_shown(each, known.text, Path(to_fs_path(uri) or uri)) for each in known.found]
            params = types.PublishDiagnosticsParams(uri=uri, version=known.version, diagnostics=shown)
            made.text_document_publish_diagnostics(params)
        finally:
            gc.enable()
        log.info("%s: %d diagnostics in %.0f ms", uri, len(shown), 1e3 * (time.perf_counter() - begun))

    @made.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @made.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        documents.pop(params.text_document.uri, None)

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        said = told(look(params.text_document.uri), params.position.line + 1)
        if said is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{said}\n```"))

    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite])

    @made.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, known = params.text_document.uri, look(params.text_document.uri)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        path = Path(to_fs_path(uri) or uri)
        wanted = params.context.only or [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
        found: list[types.CodeAction] = []
        if types.CodeActionKind.QuickFix in wanted:
            found += _fixes(known, path, uri, first, last)
        if types.CodeActionKind.RefactorRewrite in wanted:
            found += _markers(known, path, uri, first, last)
        return found

    return made


def looked_at(uri: str, text: str, version: int | None, before: Document | None) -> Document:
    """Check a text. While it is not Python, what was known before stays."""
    path = Path(to_fs_path(uri) or uri)
    made = Document(version, text)
    try:
        made.loaded = load_text(path, text, str(path))
        for each in Checked().add(made.loaded):
            made.found += [d for d in each.diagnostics if d.position is None or d.position.file == str(path)]
    except SyntaxError:
        made.found = list(before.found) if before is not None else []
    except SomdCompileError as error:
        made.found = list(error.diagnostics)
    except FileProblem as problem:
        place = Position(str(path), problem.line or 1, 0, problem.line or 1, 1)
        log.info("%s: %s", place, problem.message)
    except SomdError as error:
        log.info("%s: %s", uri, error)
    made.found = list(dict.fromkeys(made.found))
    return made


def told(known: Document, line: int) -> str | None:
    """The plan of the method that a line is in, or the part of it about the innermost loop around that has one."""
    from somd.transforms.pipeline import check
    from somd.transforms.plan.explain import explain

    for method in known.loaded.methods if known.loaded is not None else ():
        function = function_of(method)
        code = function.__code__
        lines = [each for _, _, each in code.co_lines() if each is not None]
        if not code.co_firstlineno <= line <= max(lines, default=code.co_firstlineno):
            continue
        try:
            plan = check(function, replace(reach_of_source(function, method.owner), fastmath=method.fastmath))
        except (SomdError, NotKnownYet, LeftOut):
            return None
        words = explain(plan).splitlines()
        around = _lines_around(known.text, line) if line > code.co_firstlineno else []
        parts = (_about(words, each) for each in around)
        return next((part for part in parts if part is not None), "\n".join(words))
    return None


def _lines_around(text: str, line: int) -> list[int]:
    """The lines of the statements that begin at a line or go on there, the innermost first."""
    try:
        tree = module_of(text)
    except (SyntaxError, ValueError):
        return [line]
    found = (node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and _goes_over(node, line))
    return sorted(found, reverse=True)


def _goes_over(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _about(words: Sequence[str], line: int) -> str | None:
    """The lines of a plan from the one about a loop's line on, as far as they stand further to the right."""
    for number, text in enumerate(words):
        if f", line {line}:" not in text:
            continue
        depth = len(text) - len(text.lstrip())
        inside = [text[depth:]]
        for each in words[number + 1 :]:
            if len(each) - len(each.lstrip()) <= depth:
                break
            inside.append(each[depth:])
        return "\n".join(inside)
    return None


def _fixes(known: Document, path: Path, uri: str, first: int, last: int) -> Iterator[types.CodeAction]:
    """What the diagnostics in a range offer as edits."""
    for diagnostic in known.found:
        place = diagnostic.position
        if place is None or place.line > last or place.end_line < first:
            continue
        for fix in fixes_of(diagnostic, known.text):
            edits = [_edit(each, known.text) for each in edits_of(known.text, fix)]
            yield types.CodeAction(
                title=fix.help,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_shown(diagnostic, known.text, path)],
                edit=types.WorkspaceEdit(changes={uri: edits}),
            )


def _markers(known: Document, path: Path, uri: str, first: int, last: int) -> Iterator[types.CodeAction]:
    """Markers for a plain function in a range, as `somdc suggest` has them."""
    from somd.sources.suggesting import suggest_in

    try:
        proposals = suggest_in(path, known.text, (first, last))
    except (FileProblem, SyntaxError):
        return
    for proposal, after in proposals:
        edits = [_edit(each, known.text) for each in _difference(known.text, after)]
        yield types.CodeAction(
            title=f"distribute {', '.join(f'`{name}`' for name in proposal.arrays)} of `{proposal.qualname}`",
            kind=types.CodeActionKind.RefactorRewrite,
            edit=types.WorkspaceEdit(changes={uri: edits}),
        )


def _difference(before: str, after: str) -> Iterator[Edit]:
    """The lines that differ."""
    old, new = lines_of(before), lines_of(after)
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(a + 1, 0, b + 1, 0, "".join(new[c:d]))


def _shown(diagnostic: Diagnostic, text: str, path: Path) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(Path(label.position.file).absolute().as_uri(), _range(label.position, text)), label.text
        )
        for label in diagnostic.labels
        if not label.primary and label.text and label.position.file == str(path)
    ]
    said = [diagnostic.message, *diagnostic.notes, *(f"help: {each}" for each in diagnostic.helps)]
    place = diagnostic.position
    return types.Diagnostic(
        range=_range(place, text) if place is not None else types.Range(types.Position(0, 0), types.Position(0, 1)),
        message="\n".join(said),
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source="somd",
        related_information=related or None,
    )


def _range(place: Position | Edit, text: str) -> types.Range:
    return types.Range(_point(place.line, place.column, text), _point(place.end_line, place.end_column, text))


def _edit(edit: Edit, text: str) -> types.TextEdit:
    return types.TextEdit(_range(edit, text), edit.text)


def _point(line: int, column: int, text: str) -> types.Position:
    """A place as editors count it: lines from 0, columns in words of UTF-16."""
    lines = lines_of(text)
    before = lines[line - 1][:column] if line <= len(lines) else ""
    return types.Position(line - 1, len(before.encode("utf-16-le")) // 2)
