"""The scalars of a body: what it sets and reads, and what it has for itself, since it sets that before it reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from somd.transforms.loops.program import (
    Assign,
    Element,
    Expression,
    If,
    Interval,
    Join,
    Length,
    LibraryCall,
    Loop,
    Rebind,
    Region,
    Scan,
    Statement,
    Unpack,
    Variable,
)
from somd.transforms.loops.ranges import joined, whole
from somd.transforms.loops.walking import bodies, expressions, inside, statements_in

Block = tuple[Statement, ...]


def assigned(body: Block) -> set[str]:
    """The names of scalars that statements set, those inside others too."""
    return {name for node in statements_in(body) for name in set_by(node)}


def set_by(node: Statement) -> set[str]:
    """The names of scalars that a statement sets itself."""
    return {variable.name for variable in variables_set(node)}


def variables_set(node: Statement) -> tuple[Variable, ...]:
    """The scalars that a statement sets itself."""
    if isinstance(node, Assign):
        return (node.target,)
    if isinstance(node, Unpack):
        return node.targets
    if isinstance(node, LibraryCall):
        return node.scalars
    if isinstance(node, Loop):
        return (node.variable,)
    if isinstance(node, Region):
        return tuple(variable for each in node.reductions for variable in (each.variable, *each.companions))
    if isinstance(node, Scan):
        return tuple(each.variable for each in node.carries)
    return node.names if isinstance(node, Join) else ()


def read(*nodes: Expression) -> set[str]:
    """The names of scalars that expressions read."""
    return {each.name for node in nodes for each in inside(node) if isinstance(each, Variable)}


def read_beside(body: Block, node: Statement) -> set[str]:
    """The names of scalars that a block reads outside one of its statements."""
    found: set[str] = set()
    for each in body:
        if each is not node:
            found |= read(*expressions(each)) | (set(each.scalars) if isinstance(each, Region) else set())
            found |= {name for inner in bodies(each) for name in read_beside(inner, node)}
    return found


def read_first(body: Block, known: frozenset[str] = frozenset()) -> set[str]:
    """The names, those of arrays too, of which a block may read values from before it, but for those `known`: a block
    of assignments, exchanges of arrays, regions, and loops around these."""
    found: set[str] = set()
    for node in body:
        names, inner = named(*expressions(node)), known
        if isinstance(node, Rebind):
            names |= {*node.sources}
        elif isinstance(node, Region):
            limits = named(*(limit for loop in node.loops for limit in (loop.start, loop.stop)))
            names |= {*node.scalars, *node.arrays, *limits} - {loop.variable.name for loop in node.loops}
        elif isinstance(node, Loop):
            names |= read_first(node.body, known | {node.variable.name})
        else:
            inner |= set_by(node)
        found |= names - known
        known = inner | {*node.targets} if isinstance(node, Rebind) else inner
    return found


def named(*nodes: Expression) -> set[str]:
    """The names that expressions read, those of arrays too."""
    parts = [each for node in nodes for each in inside(node)]
    return read(*nodes) | {each.array for each in parts if isinstance(each, Element | Length)}


def by_trips_before(body: Block, known: Collection[str]) -> set[str]:
    """The scalars that have values where a trip of a loop begins: what is set by something that has one, if `known`
    have them before the loop."""
    steps = [(read(*expressions(node)), set_by(node)) for node in statements_in(body)]
    found, before = set(known), -1
    while len(found) > before:
        before = len(found)
        for reads, sets in steps:
            found |= sets if reads <= found else set()
    return found & assigned(body)


def own_scalars(body: Block, given: Iterable[str]) -> frozenset[str]:
    """The names of scalars that only assignments of a body set, those `given` left out: loops count, too."""
    targets: set[str] = set()
    others = set(given)
    for node in statements_in(body):
        if isinstance(node, Assign):
            targets.add(node.target.name)
        elif isinstance(node, Unpack):
            targets |= {target.name for target in node.targets}
        elif isinstance(node, LibraryCall):
            targets |= {target.name for target in node.scalars}
        elif isinstance(node, Loop):
            others.add(node.variable.name)
    return frozenset(targets - others)


def given_to(region: Region) -> frozenset[str]:
    """The scalars that an iteration of a region gets values of: the master's, those handed on, and the variables of the
    region's loops."""
    loops = (loop.variable.name for loop in region.loops)
    return frozenset({*region.scalars, *(variable.name for variable in region.carried), *loops})


def assigned_ranges(body: Block, names: frozenset[str]) -> dict[str, Interval | None]:
    """What encloses all values that the assignments of a body give to `names`; None for what are no integers."""
    found: dict[str, Interval | None] = {}
    for node in statements_in(body):
        pairs = [(node.target.name, node.value.range)] if isinstance(node, Assign) else []
        pairs += [(target.name, whole(target.type)) for target in node.targets] if isinstance(node, Unpack) else []
        pairs += [(target.name, whole(target.type)) for target in node.scalars] if isinstance(node, LibraryCall) else []
        for name, range_ in pairs:
            if name in names:
                found[name] = joined(found[name], range_) if name in found else range_
    return found


def set_through(body: Block, certain: set[str], exposed: set[str]) -> set[str]:
    """The names that are set behind a body in any case, or are `certain` before it; what is read before that goes to
    `exposed`. The trips of a loop are taken for such as none of which has to be, and none knows those before it."""
    for node in body:
        exposed |= read(*expressions(node)) - certain
        if isinstance(node, If):
            yes, no = (set_through(block, certain, exposed) for block in bodies(node))
            certain = yes & no
        elif isinstance(node, Loop):
            set_through(node.body, certain | {node.variable.name}, exposed)
        else:
            certain = certain | set_by(node)
    return certain


def exposed_in(body: Block) -> set[str]:
    """What a body may read before it sets it."""
    exposed: set[str] = set()
    set_through(body, set(), exposed)
    return exposed
