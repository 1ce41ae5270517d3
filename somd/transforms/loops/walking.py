"""Walking through loop programs: what nodes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from somd.transforms.loops.program import (
    NOWHERE,
    Allocate,
    AllocateLike,
    Assign,
    Cast,
    Check,
    Choice,
    Continue,
    Element,
    Evaluate,
    Expression,
    HelperCall,
    If,
    Lanes,
    LibraryCall,
    Loop,
    Operation,
    Origin,
    Partials,
    Raise,
    Region,
    Return,
    Scan,
    Statement,
    Store,
    Tested,
    Unpack,
    While,
    Whole,
)


def operands(node: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    if isinstance(node, Element):
        return node.indices
    if isinstance(node, Operation | HelperCall):
        return node.operands
    if isinstance(node, Cast):
        return (node.operand,)
    return (node.test, node.yes, node.no) if isinstance(node, Choice) else ()


def bodies(node: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks of statements in a statement."""
    if isinstance(node, If):
        return node.body, node.orelse
    if isinstance(node, Loop | While | Partials | Lanes):
        return (node.body,)
    if isinstance(node, Scan):
        return ((node.totals, node.region),)
    return ((*node.checks, node.loop),) if isinstance(node, Region) else ()


def expressions(node: Statement) -> tuple[Expression, ...]:
    """The expressions that a statement evaluates itself, those of its blocks left out; targets are none of them."""
    if isinstance(node, Assign | Evaluate):
        return (node.value,)
    if isinstance(node, Store):
        return (*node.element.indices, node.value)
    if isinstance(node, Unpack):
        return node.operands
    if isinstance(node, LibraryCall):
        return tuple(value for value in node.values if not isinstance(value, Whole))
    if isinstance(node, Loop):
        return (node.start, node.stop, node.step, *(node.hull or ()))
    if isinstance(node, While | If):
        return (node.test,)
    if isinstance(node, Return):
        return tuple(value for value in node.values if not isinstance(value, Whole))
    if isinstance(node, Allocate):
        return (*node.lengths, *(() if node.fill is None else (node.fill,)))
    if isinstance(node, AllocateLike):
        return () if node.fill is None else (node.fill,)
    if isinstance(node, Raise):
        return node.values
    if isinstance(node, Region):
        return node.ordered_if
    return (node.condition,) if isinstance(node, Check) else ()


def origin_of(node: Statement) -> Origin:
    """Where a statement comes from."""
    return getattr(node, "origin", None) or NOWHERE


def statements_in(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements of a block, those inside others too, in order."""
    for node in body:
        yield node
        for inner in bodies(node):
            yield from statements_in(inner)


def inside(node: Expression) -> Iterator[Expression]:
    """An expression and all in it, in order; however deep it is, each takes the same time."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += operands(node)[::-1]


def elements(node: Statement) -> list[Element]:
    """The elements that a statement reads or stores itself, one that is updated once."""
    found = [each for top in expressions(node) for each in inside(top) if isinstance(each, Element)]
    return [*found, node.element] if isinstance(node, Store) and node.element not in found else found


def expressions_in(body: tuple[Statement, ...]) -> Iterator[Expression]:
    """All expressions of a block, those inside others too; elements that are stored among them."""
    for node in statements_in(body):
        for each in (*expressions(node), *([node.element] if isinstance(node, Store) else ())):
            yield from inside(each)


def called(body: tuple[Statement, ...]) -> set[str]:
    """The functions that a block calls."""
    found = {node.function for node in statements_in(body) if isinstance(node, Unpack)}
    return found | {each.function for each in expressions_in(body) if isinstance(each, HelperCall)}


def goes_on(node: Statement) -> bool:
    """Whether a statement goes on with the next trip of the loop that it stands in."""
    inner = (each for block in bodies(node) for each in block)
    return isinstance(node, Continue) or (not isinstance(node, Loop | While) and any(map(goes_on, inner)))


def tested_in(nodes: Iterable[Expression]) -> Iterator[Element]:
    """The elements among expressions whose accesses are tested where they happen."""
    return (each for each in nodes if isinstance(each, Element) and isinstance(each.access, Tested))


def tests_accesses(body: tuple[Statement, ...]) -> bool:
    """Whether an access in a block is tested where it happens."""
    return any(tested_in(expressions_in(body)))


def reads_elements(node: Expression) -> bool:
    """Whether an element of an array stands in an expression."""
    return any(isinstance(each, Element) for each in inside(node))


def asks(node: Expression) -> bool:
    """Whether an expression reads elements or calls helpers: where no iteration does, that may fail or never end."""
    return any(isinstance(each, Element | HelperCall) for each in inside(node))


def outside_indexes(node: Expression) -> Iterator[Expression]:
    """An expression and those in it, but for the indexes of elements."""
    yield node
    for each in () if isinstance(node, Element) else operands(node):
        yield from outside_indexes(each)
