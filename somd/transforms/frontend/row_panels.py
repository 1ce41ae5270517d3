"""Loops over the rows of a factorisation, each of which sums over the columns before: panels of columns.

    for i in range(n):                             for i__panel in range(0, n, 32):
        for j in range(i):                             for i in range(i__panel, min(i__panel + 32, n)):
            for k in range(j):                             for j in range(i__panel, i):
                a[i, j] -= a[i, k] * a[j, k]                   for k in range(i__panel, j):
            a[i, j] /= a[j, j]                                     a[i, j] -= a[i, k] * a[j, k]
        for k in range(i):                    ->               a[i, j] /= a[j, j]
            a[i, i] -= a[i, k] * a[i, k]                   for k in range(i__panel, i):
        a[i, i] = np.sqrt(a[i, i])                             a[i, i] -= a[i, k] * a[i, k]
                                                           a[i, i] = np.sqrt(a[i, i])
                                                       for i in range(i__panel + 32, n):
                                                           for j in range(i__panel, i__panel + 32):
                                                               for k in range(i__panel, j):
                                                                   a[i, j] -= a[i, k] * a[j, k]
                                                               a[i, j] /= a[j, j]
                                                       for i in range(i__panel + 32, n):
                                                           for j in range(i__panel + 32, i + 1):
                                                               for k in range(i__panel, i__panel + 32):
                                                                   a[i, j] -= a[i, k] * a[j, k]

A term of a sum belongs to the panel of the column k that it reads, another statement to that of the column that it
stores; or to that of its row, if the column is behind that. A panel finishes its rows, then its columns of all rows
behind, and then all behind both has its terms: a product of matrices. Only the planner knows where this keeps what
depends on what in order: it names the loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.transforms.frontend.panels import DEPTH, IN_PANELS, PanelRewriter
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_place, names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import Transformer

#: an element of a matrix, by two names
ELEMENT = re.compile(r"\w+\[(\w+), (\w+)\]")
#: where what is behind a panel begins, in `Term.first`
BEHIND = "behind"


@dataclass(frozen=True)
class Term:
    """A statement that adds a term to an element of a row: the loop over terms; that over columns, from `first` to
    `stop` behind the panel, or none, where the column is the row."""

    terms: cst.For
    columns: cst.For | None
    first: str
    stop: str

    @property
    def statement(self) -> cst.BaseStatement:
        """The statement."""
        return cast(cst.BaseStatement, statements_of(self.terms.body)[0])


@dataclass(frozen=True)
class RowPanels:
    """A loop over rows that may go in panels."""

    #: in the order of the body: loops over the columns up to the row
    below: tuple[cst.For, ...]
    #: by statement: the variable that tells its panel, and that of the column which it stores
    places: Mapping[cst.CSTNode, tuple[str, str]]
    #: what all behind a panel sees
    behind: Term


def row_panels_in(loop: cst.For, method: Method) -> RowPanels | None:
    """How `loop` may go in panels, going by its form alone."""
    header = range_of(loop)
    if header is None or integer_constant(header.step, method) != 1:
        return None
    form = _Form(header, method)
    if not all(form.takes(cast(cst.BaseStatement, node)) for node in statements_of(loop.body)):
        return None
    behind = _joined(form.terms, header)
    return None if behind is None else RowPanels(tuple(form.below), form.places, behind)


class _Form:
    """What the statements of a loop over rows are."""

    def __init__(self, header: Range, method: Method) -> None:
        self.header, self.method = header, method
        self.row, self.start = header.variable, code_of(header.start)
        self.below: list[cst.For] = []
        self.places: dict[cst.CSTNode, tuple[str, str]] = {}
        self.terms: list[Term] = []

    def takes(self, node: cst.BaseStatement) -> bool:
        """Whether a statement of the loop has a form that panels know."""
        if not isinstance(node, cst.For):
            return self.is_last(node, self.row)
        header = self.inner(node)
        if header is None:
            return False
        start, stop = code_of(header.start), code_of(header.stop)
        if self.is_sum(node, self.row, self.row):
            self.terms.append(Term(node, None, self.row, f"{self.row} + 1"))
            return True
        if start == self.start and stop in (self.row, f"{self.row} + 1"):
            self.below.append(node)
            return all(self.takes_below(cast(cst.BaseStatement, each), node, stop) for each in statements_of(node.body))
        inside = statements_of(node.body)
        free = not names_read(header.stop) & {self.row, header.variable}
        if start in (self.row, f"{self.row} + 1") and free and isinstance(inside[0], cst.For):
            self.terms.append(Term(inside[0], node, start, stop))
            last = [cast(cst.BaseStatement, each) for each in inside[1:]]
            stored = all(self.is_last(each, header.variable, self.row) for each in last)
            return stored and self.is_sum(inside[0], header.variable, self.row)
        return False

    def takes_below(self, node: cst.BaseStatement, columns: cst.For, stop: str) -> bool:
        column = cst.ensure_type(columns.target, cst.Name).value
        if not isinstance(node, cst.For):
            return self.is_last(node, column)
        self.terms.append(Term(node, columns, BEHIND, stop))
        return self.is_sum(node, column, column)

    def inner(self, loop: cst.For) -> Range | None:
        header = range_of(loop)
        if header is None or integer_constant(header.step, self.method) != 1 or header.variable == self.row:
            return None
        return header

    def is_last(self, node: cst.BaseStatement, column: str, panel: str | None = None) -> bool:
        """Whether a statement stores the element of the row and a column, which tells its panel if none is given."""
        self.places[node] = (panel or column, column)
        return self.stores(node, column) is not None

    def is_sum(self, loop: cst.For, column: str, stop: str) -> bool:
        """Whether a loop adds a term for each column before another one to the element of the row and a column."""
        header, inside = self.inner(loop), statements_of(loop.body)
        if header is None or len(inside) != 1 or isinstance(inside[0], cst.For) or header.variable == column:
            return False
        stored = self.stores(cast(cst.BaseStatement, inside[0]), column)
        self.places[inside[0]] = (header.variable, column)
        return (
            stored is not None
            and _added(stored) is not None
            and (code_of(header.start), code_of(header.stop)) == (self.start, stop)
        )

    def stores(self, node: cst.BaseStatement, column: str) -> cst.Assign | cst.AugAssign | None:
        """The assignment that is all of a statement, if it is one to the element of the row and a column."""
        if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
            return None
        target = assigned_place(node.body[0])
        found = None if target is None else ELEMENT.fullmatch(code_of(target))
        mine = found is not None and found.groups() == (self.row, column)
        return cast(cst.Assign | cst.AugAssign, node.body[0]) if mine else None


def _added(stored: cst.Assign | cst.AugAssign) -> tuple[str, cst.BaseExpression] | None:
    """The sign, and what an assignment adds to that to which it stores, if that is all it does."""
    if isinstance(stored, cst.AugAssign):
        signs = {cst.AddAssign: "+", cst.SubtractAssign: "-"}
        return (signs[type(stored.operator)], stored.value) if type(stored.operator) in signs else None
    value, signs_between = stored.value, {cst.Add: "+", cst.Subtract: "-"}
    if not isinstance(value, cst.BinaryOperation) or type(value.operator) not in signs_between:
        return None
    same = code_of(value.left) == code_of(stored.targets[0].target) and not value.lpar
    return (signs_between[type(value.operator)], value.right) if same else None


def _joined(terms: list[Term], header: Range) -> Term | None:
    """The same statement for columns one behind the other as one; None where there are several, or where columns may
    end before the row."""
    if not terms or terms[0].first != BEHIND or terms[0].columns is None:
        return None
    row, stops = header.variable, (header.variable, f"{header.variable} + 1", code_of(header.stop))
    found = terms[0]
    for term in terms[1:]:
        text = _text_of(terms[0], row, row if term.columns is None else None)
        if term.stop not in stops or term.first != found.stop or _text_of(term, row) != text:
            return None
        found = Term(found.terms, found.columns, BEHIND, term.stop)
    return found


def _text_of(term: Term, row: str, column: str | None = None) -> str:
    """What a statement adds, with names of ours for its row, column and term; `column` is the row's to stand for it."""
    names = {row: "row", cst.ensure_type(term.terms.target, cst.Name).value: "term"}
    if term.columns is not None:
        names[cst.ensure_type(term.columns.target, cst.Name).value] = "row" if column == row else "column"
    stored = cst.ensure_type(term.statement, cst.SimpleStatementLine).body[0]
    added = _added(stored) if isinstance(stored, cst.Assign | cst.AugAssign) else None
    assert added is not None
    return added[0] + code_of(cast(cst.BaseExpression, added[1].visit(_Names(names))))


class _Names(Transformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.names.get(original_node.value, f"their_{original_node.value}"))


def with_row_panels(method: Method, loops: Mapping[cst.For, RowPanels]) -> Method:
    """`method` with each of the loops in panels."""
    return _Rewriter(method.with_form(IN_PANELS, loops), loops).rewritten()


class _Rewriter(PanelRewriter):
    def __init__(self, method: Method, loops: Mapping[cst.For, RowPanels]) -> None:
        super().__init__(method, loops)
        self.rows = loops

    def in_panels(self, loop: cst.For, panel: str, turns: str, stop: str) -> Iterator[cst.BaseStatement]:
        rows, end = self.rows[loop], f"{panel} + {DEPTH}"
        within, behind = f"range({panel}, {end})", f"range({end}, {stop})"
        yield self.loop(loop, turns, [*self.first_rows(loop, panel)])
        columns = [self.loop(each, within, [*self.sums(each, panel)]) for each in rows.below]
        yield self.loop(loop, behind, columns)
        term = rows.behind
        assert term.columns is not None
        sums = self.loop(term.terms, within, [self.copied(term.statement)])
        yield self.loop(loop, behind, [self.loop(term.columns, f"range({end}, {term.stop})", [sums])])

    def first_rows(self, loop: cst.For, panel: str) -> Iterator[cst.BaseStatement]:
        """What is done for a row of the panel, from the panel's first column on."""
        for node in statements_of(loop.body):
            if not isinstance(node, cst.For):
                yield self.copied(node)
                continue
            header, outer = range_of(node), range_of(loop)
            assert header is not None and outer is not None
            start = panel if code_of(header.start) == code_of(outer.start) else code_of(header.start)
            made = self.loop(node, f"range({start}, {code_of(header.stop)})", [*self.sums(node, panel)])
            made = made.with_changes(leading_lines=node.leading_lines)
            self.positions[made] = self.positions[node]
            yield made

    def sums(self, loop: cst.For, panel: str) -> Iterator[cst.BaseStatement]:
        """The body of a loop over columns or terms, where terms begin with those of the panel."""
        for node in statements_of(loop.body):
            if isinstance(node, cst.For):
                header = range_of(node)
                assert header is not None
                yield self.loop(
                    node, f"range({panel}, {code_of(header.stop)})", [*map(self.copied, statements_of(node.body))]
                )
            else:
                yield self.copied(node)
