"""Scalars that a loop steps by the same amount each time, written as what they are at each iteration.

    k = 0                                ->   k = 0
    for i in range(0, n):                     for i in range(0, n):
        out[k] = a[i]                             k__now = k + 8 * i
        k += 8                                    out[k__now] = a[i]
                                              k = k + 8 * max(0, n)

Only integers qualify, for which this is exact: `k` must stand in the index of an array in the loop. It is stepped in
the loop's own body, once or more, by constants or by names that the loop leaves alone, and the loop has no `break`,
`continue` or `return` of its own. Inner loops come first, so that what they step is stepped by the outer ones too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.frontend.loops import Range, fence_of, integer_constant, range_of, small_statements, statements_of
from somd.transforms.frontend.names import assigned_names, names_read
from somd.transforms.frontend.tree import Tracked, parsed
from somd.transforms.stages import Method


def without_inductions(method: Method) -> Method:
    """`method` with its inductions computed from the loop variables."""
    rewriter = _Rewriter(method)
    function = cast(cst.FunctionDef, method.function.visit(rewriter))
    if not rewriter.changed:
        return method
    return replace(
        method,
        function=function,
        positions=rewriter.positions,
        spelled={**method.spelled, **rewriter.spelled},
        local_names=frozenset(assigned_names(function.body) | set(method.param_names)),
    )


@dataclass(frozen=True)
class _Induction:
    """`name` grows by `step` (source text) in each iteration."""

    name: str
    step: str


class _Rewriter(Tracked):
    def __init__(self, method: Method) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.taken = set(method.local_names)
        #: inductions of inner loops, which stand in indexes under their names of now
        self.stepped: set[str] = set()
        self.spelled: dict[str, str] = {}
        self.changed = False

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        header = range_of(updated_node)
        if header is None or not _steady(updated_node, header, self.method):
            return updated_node
        found = _inductions(updated_node, self.method, self.stepped)
        if not found:
            return updated_node
        self.changed = True
        loop, behind = updated_node, []
        self.stepped.update(each.name for each in found)
        iteration, trips = _counts(header, self.method)
        for induction in found:
            now = self._name(f"{induction.name}__now")
            self.spelled[now] = induction.name
            first = f"{now} = {induction.name} + {_times(induction.step, iteration)}"
            [line, after] = parsed(first, f"{induction.name} = {induction.name} + {_times(induction.step, trips)}")
            loop = _renamed(loop, line, induction.name, now, self.positions)
            behind.append(after)
            place = self.positions.get(original_node.target) or self.method.position(self.method.function.name)
            self.place(line, place)
            self.place(after, place)
        if original_node in self.positions:
            self.positions[loop] = self.positions[original_node]
        return cst.FlattenSentinel([loop, *behind])

    def _name(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def _renamed(
    loop: cst.For, first: cst.BaseStatement, name: str, now: str, positions: dict[cst.CSTNode, Position]
) -> cst.For:
    """`loop` with `now` in place of `name` in its body, which opens with `first`."""
    renamer = _Renamed(name, now, positions)
    body = [cast(cst.BaseStatement, statement.visit(renamer)) for statement in statements_of(loop.body)]
    return loop.with_changes(body=cst.IndentedBlock([first, *_without_last_step(body, now)]))


class _Renamed(Tracked):
    def __init__(self, name: str, now: str, positions: dict[cst.CSTNode, Position]) -> None:
        super().__init__(positions)
        self.name = name
        self.now = now

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.now) if updated_node.value == self.name else updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def _steady(loop: cst.For, header: Range, method: Method) -> bool:
    """Whether each iteration of `loop` runs whole, and its range means the same behind it as before it."""
    step = integer_constant(header.step, method)
    if step is None or step == 0 or _left(loop) or _fenced(loop, method):
        return False
    limits = (header.start, header.stop)
    return not (set().union(*(names_read(limit) for limit in limits)) & assigned_names(loop)) and all(
        _plain(limit) for limit in limits
    )


def _plain(node: cst.BaseExpression) -> bool:
    """Names, integers, lengths and arithmetic: what has the same value each time."""
    if isinstance(node, cst.Name | cst.Integer):
        return True
    if isinstance(node, cst.BinaryOperation):
        return _plain(node.left) and _plain(node.right)
    if isinstance(node, cst.UnaryOperation):
        return _plain(node.expression)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("len", "min", "max"):
        return all(_plain(arg.value) for arg in node.args)
    return isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute)


def _left(loop: cst.For) -> bool:
    """Whether a `break` or `continue` of this loop, or a `return`, stands in it."""
    found = False

    class Exits(cst.CSTVisitor):
        depth = 0

        def visit_For(self, node: cst.For) -> None:
            self.depth += 1

        def leave_For(self, original_node: cst.For) -> None:
            self.depth -= 1

        def visit_While(self, node: cst.While) -> None:
            self.depth += 1

        def leave_While(self, original_node: cst.While) -> None:
            self.depth -= 1

        def visit_Break(self, node: cst.Break) -> None:
            nonlocal found
            found = found or self.depth == 0

        def visit_Continue(self, node: cst.Continue) -> None:
            nonlocal found
            found = found or self.depth == 0

        def visit_Return(self, node: cst.Return) -> None:
            nonlocal found
            found = True

    loop.body.visit(Exits())
    return found


def _fenced(loop: cst.For, method: Method) -> bool:
    found = False

    class Fences(cst.CSTVisitor):
        def visit_With(self, node: cst.With) -> None:
            nonlocal found
            found = found or fence_of(node, method) is not None

    loop.body.visit(Fences())
    return found


def _inductions(loop: cst.For, method: Method, stepped: set[str]) -> list[_Induction]:
    indexing = _names_in_indexes(loop.body) | stepped
    assigned = assigned_names(loop)
    found = []
    own = list(small_statements(statements_of(loop.body)))
    for name in sorted(indexing & assigned_names(loop.body) - names_read(loop.target)):
        updates = [s for s in own if name in assigned_names(s)]
        steps = [_step(name, s, method, assigned) for s in updates]
        if None not in steps and _assignments(loop.body, name) == len(updates):
            found.append(_Induction(name, _sum(cast(list[str], steps))))
    return found


def _names_in_indexes(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()

    class Indexes(cst.CSTVisitor):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            for index in index_expressions(node):
                found.update(names_read(index))

    node.visit(Indexes())
    return found


def _assignments(node: cst.CSTNode, name: str) -> int:
    """How many statements assign `name`."""
    count = 0

    class Assignments(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            nonlocal count
            if isinstance(node, cst.Assign | cst.AugAssign | cst.AnnAssign):
                count += name in assigned_names(node)
            elif isinstance(node, cst.For):
                count += name in names_read(node.target)
            return True

    node.visit(Assignments())
    return count


def _step(name: str, node: cst.CSTNode, method: Method, assigned: set[str]) -> str | None:
    """The text of what `node` adds to `name`, the same in every iteration; None if it does something else."""
    if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
        sign = {cst.AddAssign: "", cst.SubtractAssign: "-"}.get(type(node.operator))
        return None if sign is None else _amount(node.value, sign, method, assigned)
    if not (isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name)):
        return None
    value = node.value
    if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add | cst.Subtract):
        return None
    sign = "-" if isinstance(value.operator, cst.Subtract) else ""
    if isinstance(value.left, cst.Name) and value.left.value == name:
        return _amount(value.right, sign, method, assigned)
    if not sign and isinstance(value.right, cst.Name) and value.right.value == name:
        return _amount(value.left, sign, method, assigned)
    return None


def _amount(node: cst.BaseExpression, sign: str, method: Method, assigned: set[str]) -> str | None:
    constant = integer_constant(node, method)
    if constant is not None:
        return str(-constant if sign else constant)
    if not _plain(node) or names_read(node) & assigned:
        return None
    text = cst.Module([]).code_for_node(node)
    simple = isinstance(node, cst.Name | cst.Subscript | cst.Call)
    return f"{sign}{text}" if simple else f"{sign}({text})"


def _sum(steps: Sequence[str]) -> str:
    if all(_number(step) for step in steps):
        return str(sum(int(step) for step in steps))
    text = " + ".join(steps)
    return f"({text})" if len(steps) > 1 else text


def _counts(header: Range, method: Method) -> tuple[str, str]:
    """The number of the iteration and the number of all, as text over the loop variable and the limits."""
    step = cast(int, integer_constant(header.step, method))
    start, stop = (_wrapped(limit) for limit in (header.start, header.stop))
    name, size = header.variable, abs(step)
    low, high = (integer_constant(limit, method) for limit in (header.start, header.stop))
    if step > 0:
        gone, whole = (name, stop) if start == "0" else (f"({name} - {start})", f"({stop} - {start})")
    else:
        gone, whole = f"({start} - {name})", f"({start} - {stop})"
    if low is not None and high is not None:
        trips = str(len(range(low, high, step)))
    else:
        trips = f"max(0, {whole})" if size == 1 else f"max(0, ({whole} + {size - 1}) // {size})"
    return gone if size == 1 else f"{gone} // {size}", trips


def _wrapped(node: cst.BaseExpression) -> str:
    text = cst.Module([]).code_for_node(node)
    return text if isinstance(node, cst.Name | cst.Integer | cst.Call | cst.Subscript) else f"({text})"


def _times(step: str, count: str) -> str:
    if _number(step) and _number(count):
        return str(int(step) * int(count))
    if step == "1":
        return count
    factor = f"({step})" if step.startswith("-") else step
    return f"{factor} * ({count})" if "//" in count and not count.startswith("max") else f"{factor} * {count}"


def _number(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _without_last_step(body: Sequence[cst.BaseStatement], now: str) -> Iterator[cst.BaseStatement]:
    """The body without a step at its end, which nothing reads."""
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 and assigned_names(last) == {now}:
        body = body[:-1]
    yield from body
