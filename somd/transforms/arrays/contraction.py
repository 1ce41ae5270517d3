"""Which arrays need not be made: each element of theirs is computed in the loops that read it (*array contraction*).

    t = a[1:] - a[:-1]
    t[t > 0.0] = 0.0                        ->   for at in ...: t_ = a[at + 1] - a[at]; t_ = 0.0 if t_ > 0.0 else t_
    out[:] = t * b                                              out[at] = t_ * b[at]

An array is not made where all statements that mention its name stand behind the one that binds it, in one block; each
reads it element by element, into an array of as many axes, or changes it whole, or under a mask; and nothing in between
binds or writes what the elements are made of. What they are made of cannot fail. An element that is read at several
places is computed as often: as long as that costs less than memory would.

In: a `Method` and its types. Out: the statements that make no array; what they mean is the matter of `assignments`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import libcst as cst

from somd.transforms.analysis.parts import items_of
from somd.transforms.arrays.element_reads import ElementReads
from somd.transforms.arrays.exchanges import Exchanges
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, integer_constant, statements_of
from somd.transforms.tree.names import names_read, target_parts
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types

#: operations and loads that may be done once more for each element, in place of memory that is written and read
RECOMPUTED = 48
#: what reading an array from memory once more costs
STREAM = 16
#: the operations and loads in an element that a reduction may compute: a sum has its text up to 22 times
INLINED = 24
#: how often reductions go along what they reduce, if more than once
TURNS = {"argmax": 2, "argmin": 2, "ptp": 2, "var": 2, "std": 2}


@dataclass(frozen=True)
class _Place:
    """The loops of a statement, and by how much an element is moved in them."""

    loops: object
    shift: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()

    def moved(self, part: tuple[int, ...] | str) -> _Place:
        if isinstance(part, str):
            return replace(self, parts=(*self.parts, part))
        return replace(self, shift=_sum(self.shift, part))


@dataclass
class _Life:
    """An array from where it is bound to where it is read last, by numbers of statements in a block."""

    name: str
    bound: int
    mentions: list[int] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)
    inputs: set[str] = field(default_factory=set)
    #: what an element costs, also with all that need not be made, the arrays that it is made of, and the places where
    #: it is computed; whether a reduction reads it
    cost: int = 0
    expanded: int = 0
    streams: int = 0
    places: set[_Place] = field(default_factory=set)
    is_reduced: bool = False

    @property
    def recomputed(self) -> int:
        """What computing elements costs beyond computing each once; other loops read again what they are made of."""
        loops = len({place.loops for place in self.places})
        return self.cost * (len(self.places) - 1) + STREAM * self.streams * (loops - 1)


class Contraction(ElementReads):
    """`bound` has the assignments that make no array, with what it would be made of in `inputs`; `updates` the
    statements that change such. `apart` has assignments of several new arrays, each as one for every array."""

    def __init__(self, method: Method, types: Types, exchanges: Exchanges, aliases: Mapping[str, str]) -> None:
        super().__init__(method, types)
        self.exchanges = exchanges
        self.bound: set[cst.CSTNode] = set()
        self.updates: set[cst.CSTNode] = set()
        self.inputs: dict[cst.CSTNode, set[str]] = {}
        self.apart: dict[cst.CSTNode, list[cst.BaseSmallStatement]] = {}
        handed = {name for names, _ in exchanges.handed.values() for name in names}
        own = {name for name, kind in types.names.items() if isinstance(kind, ArrayType)}
        marked = {each.name for each in method.marked}
        #: the names of arrays of the method's own, and those that go over to no other array
        self.arrays = own - marked - exchanges.parts - method.shared
        self.own = self.arrays - handed
        self.mentions = _counts(method.function.body)
        for block in _blocks(method.function.body):
            self.apart |= {node: each for node in block if (each := self._one_by_one(node))}
            if not aliases:
                self._block([each for node in block for each in self.apart.get(node, (node,))])

    def _one_by_one(self, node: cst.CSTNode) -> list[cst.BaseSmallStatement]:
        """`t, u = e, f`, of new arrays that are not made of each other, as `t = e` and `u = f`."""
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        value = node.value if isinstance(node, cst.Assign) else None
        if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
            return []
        names = [each.value for each in target.elements if isinstance(each.value, cst.Name)]
        own = {each.value for each in names} & self.arrays - names_read(value)
        if len(own) < len(target.elements) or len(own) < len(value.elements):
            return []
        values = [each.value for each in value.elements]
        if not all(self.is_pure(each, True) or self.exchanges.is_new(each) for each in values):
            return []
        if any(map(self.exchanges.may_share, values)):
            return []
        return [cst.Assign([cst.AssignTarget(t)], v) for t, v in zip(names, values, strict=True)]

    # --- a block ---------------------------------------------------------------------------------------------------

    def _block(self, statements: Sequence[cst.CSTNode]) -> None:
        lives: list[_Life] = []
        for life in self._lives(statements):
            if self._holds(life, statements, lives):
                lives.append(life)
        within: dict[int, list[_Life]] = {}
        for life in sorted(lives, key=lambda each: -each.bound):
            for number in life.mentions:
                life.places |= self._reduced_places(statements[number], life)
                if number not in life.updates:
                    life.places |= self._places(statements[number], number, life, within)
            if life.recomputed <= RECOMPUTED:
                for number in (life.bound, *life.updates):
                    within.setdefault(number, []).append(life)
                self.bound.add(statements[life.bound])
                self.inputs[statements[life.bound]] = life.inputs
                self.updates |= {statements[number] for number in life.updates}

    def _places(
        self, node: cst.CSTNode, number: int, life: _Life, within: Mapping[int, Sequence[_Life]]
    ) -> set[_Place]:
        """Where elements of an array are computed for a statement: in the loops that it makes, or in those for which
        elements of what it binds or changes are computed."""
        made = [other.places for other in within.get(number, ()) if other.name != life.name or number == other.bound]
        places = set[_Place]().union(*made) if made else {_Place(number)}
        parts = [self._shift(each) for each in self._parts_of(node, life.name)]
        return {place.moved(part) for place in places for part in parts}

    def _reduced_places(self, node: cst.CSTNode, life: _Life) -> set[_Place]:
        """Where elements are computed for the reductions in a statement: in loops of their own."""
        found: set[_Place] = set()
        for call in self.reductions(node):
            operand, reducing = self.reduced(call), self.types.calls[call].reducing
            parts = [self._shift(each) for each in self._parts_of(operand, life.name)] if operand is not None else []
            turns = TURNS.get(reducing.name, 1) if reducing is not None else 1
            found |= {_Place((call, turn)).moved(part) for turn in range(turns) for part in parts}
        return found

    def _parts_of(self, node: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
        """The expressions that read an array outside of reductions: its name, with all subscripts behind it."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            base = each
            while isinstance(base, cst.Subscript):
                base = base.value
            if isinstance(base, cst.Name) and base.value == name:
                yield each
            elif self.reduced(each) is None:
                waiting += children_of(each)

    def _shift(self, node: cst.CSTNode) -> tuple[int, ...] | str:
        """By how much a part of an array is moved along its axes; the text of the part where that is not known."""
        shift: tuple[int, ...] = ()
        part = node
        while isinstance(part, cst.Subscript):
            lower: list[int] = []
            for each in items_of(part, self.method):
                if not isinstance(each, cst.Slice) or each.step is not None:
                    return code_of(node)
                start = 0 if each.lower is None else integer_constant(each.lower, self.method)
                if start is None or start < 0:
                    return code_of(node)
                lower.append(start)
            shift = _sum(shift, tuple(lower))
            part = part.value
        return shift

    def _lives(self, statements: Sequence[cst.CSTNode]) -> list[_Life]:
        """The arrays that are bound and mentioned in this block alone, by whole statements."""
        found: dict[str, list[_Life]] = {}
        behind: Counter[str] = Counter()  # mentions behind the first binding, which counts as well
        for number, node in enumerate(statements):
            name, counts = _bound_name(node), _counts(node)
            for each in counts.keys() & found.keys():
                if each != name or counts[each] > 1:
                    found[each][-1].mentions.append(number)
            if name in self.own:
                found.setdefault(name, []).append(_Life(name, number))
            behind.update({each: count for each, count in counts.items() if each in found})
        alone = [name for name in found if behind[name] == self.mentions[name]]
        return sorted((life for name in alone for life in found[name]), key=lambda each: each.bound)

    def _holds(self, life: _Life, statements: Sequence[cst.CSTNode], before: Sequence[_Life]) -> bool:
        """Whether the array of a life need not be made, where those `before` it need not, either."""
        node = statements[life.bound]
        assert isinstance(node, cst.Assign)
        new = not self.exchanges.may_share(node.value) and self.is_pure(node.value, True)
        if not life.mentions or life.name in names_read(node.value) or not new:
            return False
        known = {other.name: other.expanded for other in before}
        life.inputs, life.cost = self.outside(node.value), self._cost(node.value, {})
        life.expanded = self._cost(node.value, known)
        for number in life.mentions:
            each = statements[number]
            update = self._update_of(each, life.name)
            if update is not None:
                life.updates.append(number)
                life.inputs |= {name for part in update for name in self.outside(part)} - {life.name}
                life.cost += sum(self._cost(part, {}) for part in update) + 1
                known[life.name] = life.expanded
                life.expanded += sum(self._cost(part, known) for part in update) + 1
            elif not self._reads(each, life.name):
                return False
        reads = [call for number in life.mentions for call in self.reductions(statements[number])]
        life.is_reduced = any(life.name in names_read(call) for call in reads)
        if life.is_reduced and life.expanded > INLINED:
            return False
        made_of = {name for name in life.inputs if isinstance(self.types.names.get(name), ArrayType)}
        life.streams = len(made_of - {other.name for other in before})
        for other in before:
            if other.name in life.inputs:
                life.inputs |= other.inputs  # which are read where elements of this one are computed
        return life.mentions[-1] not in life.updates and self._stays(life, statements)

    def _stays(self, life: _Life, statements: Sequence[cst.CSTNode]) -> bool:
        """Whether nothing that elements are made of is bound or written before they are read last."""
        inputs = self._reached(life.inputs)
        for number in range(life.bound + 1, life.mentions[-1]):
            if number in life.updates:
                continue
            written = self._written(statements[number])
            if self.exchanges.names(statements[number]) & life.inputs or self._reached(written) & inputs:
                return False
        return True

    def _reached(self, names: Collection[str]) -> set[str]:
        """All names of what may be one array with one of these."""
        return set[str]().union(*(self.exchanges.reaching.names(name) for name in names))

    def _written(self, statement: cst.CSTNode) -> set[str]:
        """The names through which a statement writes."""
        found: set[str] = set()
        for node in nodes_in(statement):
            targets: list[cst.CSTNode] = []
            if isinstance(node, cst.Assign | cst.AnnAssign | cst.For):
                given = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
                parts = [part for each in given for part in target_parts(each)]
                targets = [part for part in parts if not isinstance(part, cst.Name)]
            elif isinstance(node, cst.AugAssign | cst.Expr | cst.Del):
                targets = [node.target if isinstance(node, cst.AugAssign) else node]
            elif isinstance(node, cst.Call) and any(each.keyword is not None for each in node.args):
                targets = [node]  # `out=`
            for each in targets:
                found |= names_read(each.value if isinstance(each, cst.Subscript) else each)
        return found


def _bound_name(node: cst.CSTNode) -> str | None:
    """The name that a statement binds, and nothing else."""
    target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
    return target.value if isinstance(target, cst.Name) else None


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The sum of two shifts, without zeros at its end."""
    made = [a + b for a, b in zip_longest(first, second, fillvalue=0)]
    while made and made[-1] == 0:
        made.pop()
    return tuple(made)


def _counts(node: cst.CSTNode) -> Counter[str]:
    """How often each name is mentioned in any way."""
    return Counter(each.value for each in nodes_of(node, cst.Name))


def _blocks(body: cst.BaseSuite) -> Iterator[list[cst.CSTNode]]:
    """The blocks of a method, each as its small statements, and compound ones."""
    waiting: list[list[cst.CSTNode]] = [list(statements_of(body))]
    while waiting:
        statements = waiting.pop()
        flat: list[cst.CSTNode] = []
        for node in statements:
            flat += node.body if isinstance(node, cst.SimpleStatementLine) else [node]
            if isinstance(node, cst.For | cst.While | cst.With | cst.If):
                waiting.append(list(statements_of(node.body)))
            if isinstance(node, cst.If):
                waiting.append(list(else_statements(node)))
        yield flat
