"""The array accesses of a piece of a method, each with the loops and conditions around it.

In: statements and a `Scope`. Out: `Access` records in evaluation order. Conditions that are not affine make an access
inexact: it may happen less often than its domain says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.access import Access, Affine, Flat, LoopDomain, Surroundings
from somd.transforms.analysis.affine import Scope, affine, bound, condition, negation, shape_reference, variable
from somd.transforms.analysis.cases import Case, Cases, cases_of, either, indices_of
from somd.transforms.analysis.flat import flat_indexes
from somd.transforms.stages import Stride
from somd.transforms.tree.loops import (
    always_raises,
    else_statements,
    integer_constant,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of


def accesses_of(statements: Sequence[cst.CSTNode], scope: Scope) -> tuple[Access, ...]:
    """All accesses in `statements`, which run in the given scope."""
    collector = _Collector(_Place(scope))
    collector.block(statements)
    return tuple(collector.found)


def accesses_of_loop(loop: cst.For, scope: Scope) -> tuple[Access, ...]:
    """All accesses in a loop, its own domain included."""
    return accesses_of((loop,), scope)


def loop_domain(loop: cst.For, scope: Scope) -> LoopDomain:
    """The values that the loop variable takes, as far as they are affine."""
    header = range_of(loop)
    assert header is not None
    if header.variable in scope.method.strided:
        return _strided_domain(scope.method.strided[header.variable], loop, scope)
    name = variable(header.variable)
    step = integer_constant(header.step, scope.method)
    if step is None or step == 0:
        return LoopDomain(name, (), False, loop, bounded=False)
    starts, start_exact = bound(header.start, scope, upper=step < 0)
    stops, stop_exact = bound(header.stop, scope, upper=step > 0)
    first, last = (">=", "<") if step > 0 else ("<=", ">")
    constraints = [Affine(f"{name} {first} {s.text}", s.names | {name}) for s in starts]
    constraints += [Affine(f"{name} {last} {s.text}", s.names | {name}) for s in stops]
    exact = start_exact and stop_exact
    if abs(step) > 1:
        if len(starts) == 1:
            constraints.append(Affine(f"({name} - {starts[0].text}) mod {abs(step)} = 0", starts[0].names | {name}))
        else:
            exact = False
    return LoopDomain(name, tuple(constraints), exact, loop, bounded=exact)


def _strided_domain(stride: Stride, loop: cst.For, scope: Scope) -> LoopDomain:
    """Between start and stop, whichever way the step goes."""
    name = variable(stride.variable)
    start, stop, step = (affine(limit, scope) for limit in (stride.start, stride.stop, stride.step))
    forward, backward, names = ["true"], ["true"], {name}
    if step is not None:
        forward.append(f"{step.text} > 0")
        backward.append(f"{step.text} < 0")
        names |= step.names
    if start is not None:
        forward.append(f"{name} >= {start.text}")
        backward.append(f"{name} <= {start.text}")
        names |= start.names
    if stop is not None:
        forward.append(f"{name} < {stop.text}")
        backward.append(f"{name} > {stop.text}")
        names |= stop.names
    text = f"(({' and '.join(forward)}) or ({' and '.join(backward)}))"
    return LoopDomain(name, (Affine(text, frozenset(names)),), False, loop, bounded=False, strided=True)


@dataclass(frozen=True)
class _Place:
    """Where the collector stands: scope, loops and guards around, and whether those are exact."""

    scope: Scope
    loops: tuple[LoopDomain, ...] = ()
    guards: tuple[Affine, ...] = ()
    exact: bool = True
    #: whether they are exact where nothing is raised
    usual: bool = True
    #: scalars that are one of several affine expressions
    cases: Mapping[str, Cases] = field(default_factory=dict)
    #: where the array statement stands of which loops are
    statement: Surroundings | None = None

    def guarded(self, formula: Affine | None, raises: bool = False) -> _Place:
        if formula is None:
            return replace(self, exact=False, usual=self.usual and raises)
        return replace(self, guards=(*self.guards, formula))


class _Collector:
    def __init__(self, place: _Place) -> None:
        self.place = place
        self.found: list[Access] = []
        #: what the first statement of a loop over trip numbers gives its variable
        self.meant: dict[cst.CSTNode, Affine] = {}

    def block(self, statements: Sequence[cst.CSTNode]) -> None:
        outside = self.place
        for statement in small_statements(statements):
            self.statement(statement)
            if skips_rest(statement):
                assert isinstance(statement, cst.If)
                formula = condition(statement.test, self.place.scope)
                raises = not _continues(statement)
                self.place = self.place.guarded(None if formula is None else negation(formula), raises)
        self.place = replace(outside, scope=self.place.scope, cases=self.place.cases)

    def statement(self, node: cst.CSTNode) -> None:
        if node in self.meant:
            assert isinstance(node, cst.Assign)
            self.learn({cst.ensure_type(node.targets[0].target, cst.Name).value: self.meant[node]})
        elif isinstance(node, cst.Assign):
            self.expression(node.value)
            for target in node.targets:
                self.target(target.target, node.value)
        elif isinstance(node, cst.AnnAssign):
            if node.value is not None:
                self.expression(node.value)
                self.target(node.target, node.value)
        elif isinstance(node, cst.AugAssign):
            self.expression(node.target)
            self.expression(node.value)
            self.target(node.target, _stepped(node))
        elif isinstance(node, cst.For):
            self.loop(node)
        elif isinstance(node, cst.While):
            self.repeated(node)
        elif isinstance(node, cst.If):
            self.branches(node)
        elif isinstance(node, cst.With):
            self.block(statements_of(node.body))
        elif isinstance(node, cst.Expr | cst.Return) and node.value is not None:
            self.expression(node.value)
        elif isinstance(node, cst.Raise) and node.exc is not None:
            self.expression(node.exc)

    def target(self, target: cst.BaseExpression, value: cst.BaseExpression | None) -> None:
        if isinstance(target, cst.Name):
            cases = () if value is None else cases_of(value, self.place.scope, self.place.cases)
            self.learn_cases({target.value: cases})
        elif isinstance(target, cst.Tuple):
            for element in target.elements:
                self.target(element.value, None)
        elif isinstance(target, cst.Subscript):
            for index in _indices(target):
                self.expression(index)
            self.access(target, write=True)

    def learn(self, known: Mapping[str, Affine | None]) -> None:
        cases = {name: each for name, each in self.place.cases.items() if name not in known}
        self.place = replace(self.place, scope=self.place.scope.with_known(known), cases=cases)

    def learn_cases(self, cases: Mapping[str, Cases]) -> None:
        """What scalars are that are one of several expressions, or one."""
        self.learn({name: _alone(each) for name, each in cases.items()})
        several = {name: each for name, each in cases.items() if _alone(each) is None and each}
        self.place = replace(self.place, cases={**self.place.cases, **several})

    def forget(self, node: cst.CSTNode) -> None:
        self.learn(dict.fromkeys(assigned_names(node)))

    def loop(self, node: cst.For) -> None:
        header = range_of(node)
        if header is None:
            self.repeated(node)
            return
        for limit in (header.start, header.stop, header.step):
            self.expression(limit)
        outside = self.place
        domain = loop_domain(node, outside.scope)
        self.forget(node.body)
        inner_name = domain.variable
        value = Affine(inner_name, frozenset({inner_name}))
        assigned = not domain.strided and header.variable in assigned_names(node.body)
        if assigned or any(d.variable == inner_name for d in outside.loops):
            value = None  # type: ignore[assignment]
        if domain.strided:
            [defining, *_] = small_statements(statements_of(node.body))
            self.meant[defining] = value
        self.learn({header.variable: None if domain.strided else value})
        exact = self.place.exact and domain.exact and not leaves_early(node.body)
        usual = self.place.usual and domain.exact and not leaves_early(node.body, raising=False)
        statement = outside.statement
        if statement is None and header.variable.startswith("at__") and header.variable in outside.scope.method.spelled:
            statement = Surroundings(outside.loops, outside.guards, outside.exact)
        loops = (*outside.loops, domain)
        self.place = replace(self.place, loops=loops, exact=exact, usual=usual, statement=statement)
        self.block(statements_of(node.body))
        self.place = outside
        self.forget(node)

    def repeated(self, node: cst.While | cst.For) -> None:
        self.forget(node)
        outside = self.place
        self.place = replace(self.place, exact=False, usual=False)
        if isinstance(node, cst.While):
            self.expression(node.test)
        self.block(statements_of(node.body))
        self.place = outside
        self.forget(node)

    def branches(self, node: cst.If) -> None:
        self.expression(node.test)
        outside = self.place
        formula = condition(node.test, outside.scope)
        self.place = outside.guarded(formula)
        self.block(statements_of(node.body))
        taken = self.place
        self.place = outside.guarded(None if formula is None else negation(formula))
        self.block(else_statements(node))
        other = self.place
        self.place = outside
        merged: dict[str, Cases] = {}
        for name in {*taken.scope.known, *other.scope.known}:
            both = name in taken.scope.known and name in other.scope.known
            one, two = _cases_in(taken, name), _cases_in(other, name)
            merged[name] = one if both and one == two else either(formula, one, two) if both and formula else ()
        self.learn_cases(merged)

    def expression(self, node: cst.BaseExpression) -> None:
        if shape_reference(node) is not None:
            return
        if isinstance(node, cst.BooleanOperation):
            self.expression(node.left)
            formula = condition(node.left, self.place.scope)
            if formula is not None and isinstance(node.operator, cst.Or):
                formula = negation(formula)
            self.under(formula, node.right)
        elif isinstance(node, cst.IfExp):
            self.expression(node.test)
            formula = condition(node.test, self.place.scope)
            self.under(formula, node.body)
            self.under(None if formula is None else negation(formula), node.orelse)
        elif isinstance(node, cst.Subscript):
            self.expression(node.value)  # what gives a tuple may read elements
            for index in _indices(node):
                self.expression(index)
            self.access(node, write=False)
        else:
            for child in children_of(node):
                if isinstance(child, cst.BaseExpression):
                    self.expression(child)
                elif isinstance(child, cst.Arg):
                    self.expression(child.value)
                elif isinstance(child, cst.ComparisonTarget):
                    self.expression(child.comparator)
                elif isinstance(child, cst.Element):
                    self.expression(child.value)

    def under(self, formula: Affine | None, node: cst.BaseExpression) -> None:
        outside = self.place
        self.place = outside.guarded(formula)
        self.expression(node)
        self.place = replace(outside, scope=self.place.scope)

    def access(self, node: cst.Subscript, write: bool) -> None:
        scope = self.place.scope
        if not isinstance(node.value, cst.Name) or node.value.value not in scope.arrays:
            return
        written = _indices(node)
        place, array = scope.method.position(node), node.value.value
        asked = tuple(axis for axis in range(len(written)) if _is_asked(scope, array, axis, written[axis], place))
        for guards, indices in indices_of([cases_of(index, scope, self.place.cases) for index in written]):
            flat: tuple[Flat, ...] = ()
            if indices == (None,):
                flat = flat_indexes(written[0], scope, frozenset(domain.variable for domain in self.place.loops))
            self.found.append(
                Access(
                    array=array,
                    indices=indices,
                    write=write,
                    node=node,
                    loops=self.place.loops,
                    guards=(*self.place.guards, *guards),
                    exact=self.place.exact,
                    usual=self.place.usual,
                    position=place,
                    flat=flat,
                    asked=asked,
                    statement=self.place.statement,
                )
            )


def _is_asked(scope: Scope, array: str, axis: int, index: cst.BaseExpression, place: Position) -> bool:
    """Whether an index is one that an array statement at a place asks for, whatever it has of elements."""
    marked = [each for each in scope.method.asked if each[:2] == (array, axis) and _is_in(each[3], place)]
    return bool(marked) and code_of(index) in {text for _, _, text, _ in marked}


def _is_in(inner: Position, outer: Position) -> bool:
    """Whether a piece of source lies in another one."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.file == outer.file and begins and ends


def _alone(cases: Cases) -> Affine | None:
    """The value of what is the same expression whatever holds."""
    return cases[0].value if len(cases) == 1 and not cases[0].guards else None


def _cases_in(place: _Place, name: str) -> Cases:
    """What a scalar is known to be at a place."""
    known = place.scope.known.get(name)
    return place.cases.get(name, ()) if known is None else (Case((), known),)


def _stepped(node: cst.AugAssign) -> cst.BaseExpression | None:
    """The new value of `k += e` and `k -= e`."""
    if isinstance(node.operator, cst.AddAssign):
        return cst.BinaryOperation(node.target, cst.Add(), node.value)
    if isinstance(node.operator, cst.SubtractAssign):
        return cst.BinaryOperation(node.target, cst.Subtract(), node.value)
    return None


def _indices(node: cst.Subscript) -> tuple[cst.BaseExpression, ...]:
    return tuple(index_expressions(node))


def index_expressions(node: cst.Subscript) -> list[cst.BaseExpression]:
    """The index expressions of `a[i, j]`; a tuple in parentheses counts as its elements."""
    found = [element.slice.value for element in node.slice if isinstance(element.slice, cst.Index)]
    if len(found) == 1 and isinstance(found[0], cst.Tuple):
        return [element.value for element in found[0].elements]
    return found


def skips_rest(node: cst.CSTNode) -> bool:
    """Whether a statement is `if test: continue`, or an `if` that raises: what follows it needs `test` to be false."""
    if not isinstance(node, cst.If) or node.orelse is not None:
        return False
    return _continues(node) or always_raises(statements_of(node.body))


def _continues(node: cst.If) -> bool:
    body = list(small_statements(statements_of(node.body)))
    return len(body) == 1 and isinstance(body[0], cst.Continue)


def leaves_early(body: cst.BaseSuite, raising: bool = True) -> bool:
    """Whether `break`, `continue`, `return` or `raise` (if `raising`) stands in `body`, but for `if test: continue`."""
    direct = list(small_statements(statements_of(body)))
    waiting: list[cst.CSTNode] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.BaseExpression):
            continue
        if isinstance(node, cst.Break | cst.Continue | cst.Return) or (raising and isinstance(node, cst.Raise)):
            return True
        if isinstance(node, cst.If) and skips_rest(node) and _continues(node) and any(node is s for s in direct):
            continue
        waiting += children_of(node)
    return False
