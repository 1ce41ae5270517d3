"""Which variables of a function are declared where: loop variables in their loops if they matter nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Cast,
    Constant,
    Copy,
    Expression,
    Length,
    LibraryCall,
    Loop,
    Operation,
    Rebind,
    Statement,
    Unpack,
    Variable,
)
from somd.transforms.loops.walking import bodies, expressions, inside, statements_in

#: what marks a name that passes or the builder have made; one that is set once is a constant where it is set
OWN = "'"


@dataclass(frozen=True)
class Declared:
    """The scalars that statements set, with their dtypes: those `scoped` are declared by their loops, `private` at the
    top of the function."""

    scoped: frozenset[str]
    private: dict[str, str]


def declared_in(body: Sequence[Statement], without: Iterable[str] = ()) -> Declared:
    """The variables of a body that are not `without`."""
    given = frozenset(without)
    scoped = frozenset(loop_scoped(body)) - given
    found = list(scalars_set(body))
    times = Counter(name for name, _ in found)
    private = {
        name: dtype for name, dtype in found if name not in given | scoped and (OWN not in name or times[name] > 1)
    }
    return Declared(scoped, private)


def targets_of(node: Statement) -> tuple[Variable, ...]:
    """The scalars that a statement sets itself."""
    if isinstance(node, Unpack):
        return node.targets
    if isinstance(node, LibraryCall):
        return node.scalars
    if isinstance(node, Assign):
        return (node.target,)
    return (node.variable,) if isinstance(node, Loop) else ()


def scalars_set(body: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """The scalars that statements set, with their dtypes."""
    return ((each.name, each.type.dtype) for node in statements_in(tuple(body)) for each in targets_of(node))


def assigned(body: Sequence[Statement]) -> set[str]:
    """The names that statements set, those of arrays too."""
    found = {name for name, _ in scalars_set(body)}
    for node in statements_in(tuple(body)):
        if isinstance(node, Allocate | AllocateLike | Copy):
            found.add(node.array)
        elif isinstance(node, LibraryCall):
            found |= set(node.arrays)
        elif isinstance(node, Rebind):
            found |= set(node.targets)
    return found


def loop_scoped(body: Sequence[Statement]) -> set[str]:
    """Loop variables that are read only inside loops of theirs, and assigned nowhere."""
    targets: set[str] = set()
    loose: set[str] = set()

    def look(statements: Sequence[Statement], around: frozenset[str]) -> None:
        for node in statements:
            for each in expressions(node):
                loose.update(read_in(each) - around)
            inner = around
            if isinstance(node, Loop):
                targets.add(node.variable.name)
                inner = around | {node.variable.name}
                if node.variable.name in {name for name, _ in scalars_set(node.body)}:
                    loose.add(node.variable.name)
            else:
                loose.update({each.name for each in targets_of(node)} - around)
            for block in bodies(node):
                look(block, inner)

    look(body, frozenset())
    return targets - loose


def read_in(node: Expression) -> set[str]:
    """The names that an expression reads, those of arrays too."""
    names = (each.name if isinstance(each, Variable) else getattr(each, "array", None) for each in inside(node))
    return {name for name in names if isinstance(name, str)}


def is_steady(node: Expression) -> bool:
    """Whether an expression is cheap enough to be taken again in each turn, and reads no array element."""
    if isinstance(node, Operation):
        return is_size(node) or (node.operator in ("+", "-") and all(map(is_steady, node.operands)))
    return is_steady(node.operand) if isinstance(node, Cast) else isinstance(node, Variable | Constant | Length)


def is_size(node: Expression) -> bool:
    """Whether an expression is how many elements an array has, which fits in 64 bits."""
    if isinstance(node, Operation) and node.operator == "*":
        return all(map(is_size, node.operands)) and len(read_in(node)) == 1
    return isinstance(node, Length)


def counting(body: Sequence[Statement], parameters: Iterable[str]) -> frozenset[str]:
    """The names that only loops set: what they count stays near 0, for no machine counts further."""
    statements = list(statements_in(tuple(body)))
    others = {each.name for node in statements if not isinstance(node, Loop) for each in targets_of(node)}
    return frozenset(node.variable.name for node in statements if isinstance(node, Loop)) - others - {*parameters}
