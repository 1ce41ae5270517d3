"""The forms of loops, `with` blocks and statement lists that the passes ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from somd.language import markers
from somd.transforms.stages import Method
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.walking import nodes_of

#: of how many loops, which never change, the ranges are kept
_KEPT = 4096
#: how names begin that stand for what NumPy raises where a number does not fit
UNFIT = "raised_unfit"


@dataclass(frozen=True)
class Range:
    """`for variable in range(start, stop, step)`; an absent start is 0, an absent step 1."""

    variable: str
    start: cst.BaseExpression
    stop: cst.BaseExpression
    step: cst.BaseExpression

    @property
    def limits(self) -> tuple[cst.BaseExpression, cst.BaseExpression]:
        """Start and stop."""
        return self.start, self.stop


#: stands for a reduction by a function of the user's
OWN = "function"


@dataclass(frozen=True)
class Fence:
    """`with sync:` (or `single`): the names it combines and the operator, where given; or by what it scans them."""

    kind: str
    names: tuple[str, ...] = ()
    reduce: str | None = None
    relaxed: bool = False
    scan: str | None = None


@lru_cache(_KEPT)
def range_of(loop: cst.For) -> Range | None:
    """The range that `loop` runs over, or None if it is of another form."""
    call = loop.iter
    if not (isinstance(loop.target, cst.Name) and isinstance(call, cst.Call) and isinstance(call.func, cst.Name)):
        return None
    if call.func.value != "range" or not 1 <= len(call.args) <= 3 or any(a.keyword or a.star for a in call.args):
        return None
    values = [a.value for a in call.args]
    start = values[0] if len(values) > 1 else cst.Integer("0")
    stop = values[1] if len(values) > 1 else values[0]
    step = values[2] if len(values) > 2 else cst.Integer("1")
    return Range(loop.target.value, start, stop, step)


def integer_constant(node: cst.BaseExpression, method: Method) -> int | None:
    """The value of an integer literal, its negation, or a captured int; None otherwise."""
    if isinstance(node, cst.Integer):
        return number_of(node)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = integer_constant(node.expression, method)
        return None if inner is None else -inner
    value = evaluate(node, method.namespace, method.local_names)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def fence_of(block: cst.With, method: Method) -> Fence | None:
    """What a `with` block means, or None if it is none of somd's."""
    if len(block.items) != 1 or block.items[0].asname is not None:
        return None
    item = block.items[0].item
    function = item.func if isinstance(item, cst.Call) else item
    value = evaluate(function, method.namespace, method.local_names)
    if value is markers.single and not isinstance(item, cst.Call):
        return Fence("single")
    if value is not markers.sync:
        return None
    names: list[str] = []
    operator: str | None = None
    relaxed = False
    scan: str | None = None
    for arg in item.args if isinstance(item, cst.Call) else ():
        if arg.keyword is None and isinstance(arg.value, cst.Name):
            names.append(arg.value.value)
        elif arg.keyword is not None and arg.keyword.value == "reduce" and isinstance(arg.value, cst.SimpleString):
            operator = str(arg.value.evaluated_value)
        elif arg.keyword is not None and arg.keyword.value == "reduce":
            operator = OWN
        elif arg.keyword is not None and arg.keyword.value == "scan" and isinstance(arg.value, cst.SimpleString):
            scan = str(arg.value.evaluated_value)
        elif arg.keyword is not None and arg.keyword.value == "relaxed" and isinstance(arg.value, cst.Name):
            relaxed = arg.value.value == "True"
        else:
            return None
    return Fence("sync", tuple(names), operator, relaxed, scan)


def statements_of(body: cst.BaseSuite) -> tuple[cst.BaseStatement | cst.BaseSmallStatement, ...]:
    """The statements of a suite; a one-line suite gives its small statements."""
    if isinstance(body, cst.IndentedBlock):
        return tuple(body.body)
    assert isinstance(body, cst.SimpleStatementSuite)
    return (cst.SimpleStatementLine(body.body),)


def small_statements(statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Statements with the lines of small statements opened."""
    for statement in statements:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        else:
            yield statement


def else_statements(node: cst.If) -> tuple[cst.CSTNode, ...]:
    """The statements of the `else` or `elif` branch."""
    if node.orelse is None:
        return ()
    if isinstance(node.orelse, cst.If):
        return (node.orelse,)
    return statements_of(node.orelse.body)


def opened_statements(statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Statements, those inside others too; those with blocks come before what is in them."""
    for node in small_statements(statements):
        yield node
        if isinstance(node, cst.If | cst.For | cst.While | cst.With):
            yield from opened_statements(statements_of(node.body))
            yield from opened_statements(else_statements(node) if isinstance(node, cst.If) else ())


def is_fitting_test(node: cst.CSTNode) -> bool:
    """Whether a statement raises where a number does not fit an integer type, and does nothing else: what stands behind
    it relies on nothing that it tests."""
    return isinstance(node, cst.If) and any(map(_raises_unfit, small_statements(statements_of(node.body))))


def _raises_unfit(node: cst.CSTNode) -> bool:
    raised = node.exc.func if isinstance(node, cst.Raise) and isinstance(node.exc, cst.Call) else None
    return isinstance(raised, cst.Name) and raised.value.startswith(UNFIT)


def always_raises(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether no path through `statements` comes to their end, but to a `raise` of the method."""
    for node in small_statements(statements):
        if isinstance(node, cst.Raise):
            return not _raises_unfit(node)
        if isinstance(node, cst.If) and node.orelse is not None:
            if always_raises(statements_of(node.body)) and always_raises(else_statements(node)):
                return True
        elif isinstance(node, cst.Return | cst.Break | cst.Continue):
            return False
    return False


def exits_of(loop: cst.For) -> list[cst.Return | cst.Break | cst.Continue]:
    """Every `return` in `loop`, and every `break` and `continue` of the loop itself."""
    loops = nodes_of(loop.body, cst.For, cst.While)
    others = {node for inner in loops for node in nodes_of(inner, cst.Break, cst.Continue)}
    return [node for node in nodes_of(loop.body, cst.Return, cst.Break, cst.Continue) if node not in others]


def contains_fence(node: cst.CSTNode, method: Method) -> bool:
    """Whether a `with sync:` or `with single:` stands in `node`."""
    return any(fence_of(each, method) is not None for each in nodes_of(node, cst.With))
