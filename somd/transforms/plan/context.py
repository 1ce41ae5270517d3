"""What the planner knows of a method before it cuts it: arrays, kinds of scalars, facts, liveness, sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import libcst as cst

from somd.diagnostics.model import Collector, Position
from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import Scope, shape_reference
from somd.transforms.analysis.aliases import Aliases, aliases_of
from somd.transforms.analysis.facts import Fact, facts_of
from somd.transforms.analysis.liveness import Liveness
from somd.transforms.analysis.parts import Mark, items_of
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.raises import raises_in, raising_of
from somd.transforms.stages import Method, RaiseSite, Site
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.spelling import as_written
from somd.transforms.tree.walking import Reader, nodes_of

if TYPE_CHECKING:
    from somd.transforms.plan.relaxation import Block


@dataclass(frozen=True)
class Kinds:
    """What types and the call tell the planner: number of dimensions by array, scalars that are no integers, and
    parameters that are the same array as another one (name -> the one that stands for it)."""

    ranks: Mapping[str, int]
    inexact: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: scalars of NumPy's int64
    strong: frozenset[str] = frozenset()
    #: the dtypes of scalars and of expressions; None where only the source is known
    told_dtypes: Mapping[str | cst.CSTNode, str] | None = None
    #: the names of which a planner has asked whether they are inexact, and whether it has asked for dtypes
    asked: set[str] = field(default_factory=set, compare=False)

    @property
    def dtypes(self) -> Mapping[str | cst.CSTNode, str] | None:
        """The dtypes, for a planner."""
        self.asked.add(_DTYPES)
        return self.told_dtypes

    def answers_as(self, other: Kinds) -> bool:
        """Whether a planner that was told of `other` would have got the same answers here."""
        same = self.ranks == other.ranks and self.aliases == other.aliases and self.strong == other.strong
        told = _DTYPES not in other.asked or self.told_dtypes == other.told_dtypes
        return same and told and other.asked.isdisjoint(self.inexact ^ other.inexact)


#: what is noted beside names where dtypes were asked for
_DTYPES = "<dtypes>"


class _Inexact(frozenset[str]):
    """Scalars that are no integers, noting which names are asked for."""

    asked: set[str]

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)


def kinds_from_source(method: Method) -> Kinds:
    """Kinds as far as the text shows them: what is indexed is an array of that many dimensions."""
    ranks: dict[str, int] = {p.name: 1 for p in method.params if p.distributed}
    seen: set[str] = set()

    class Uses(Reader):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            reference = shape_reference(node)
            if reference is not None:
                self.at_least(reference[0], reference[1] + 1)
            elif isinstance(node.value, cst.Name) and node.value.value in method.local_names:
                name, items = node.value.value, items_of(node, method)
                rank = sum(not isinstance(item, Mark) for item in items)
                ranks[name] = max(rank, ranks[name]) if name in seen else rank
                seen.add(name)

        def visit_Call(self, node: cst.Call) -> None:
            reference = shape_reference(node)
            if reference is not None:
                self.at_least(reference[0], 1)

        def at_least(self, name: str, rank: int) -> None:
            if name in method.local_names and name not in seen:
                ranks[name] = max(ranks.get(name, 1), rank)

    method.function.body.visit(Uses())
    tuples = _tuples(method)
    return Kinds({name: rank for name, rank in sorted(ranks.items()) if name not in tuples})


def _tuples(method: Method) -> set[str]:
    """Names bound to tuples only: written out, a shape, or what a helper returns (helpers return no arrays)."""
    found: set[str] = set()
    others: set[str] = set(method.param_names)
    for node in nodes_of(method.function.body, cst.Assign):
        value = node.value
        shape = isinstance(value, cst.Attribute) and value.attr.value == "shape"
        helper = isinstance(value, cst.Call) and called_function(value, method) is not None
        is_tuple = shape or helper or isinstance(value, cst.Tuple)
        names = (each.target.value for each in node.targets if isinstance(each.target, cst.Name))
        (found if is_tuple else others).update(names)
    for typed in nodes_of(method.function.body, cst.AnnAssign):
        if isinstance(typed.target, cst.Name) and typed.value is not None:
            others.add(typed.target.value)
    return found - others


def names_in_indexes(method: Method) -> set[str]:
    """Names whose values stand in the index of some array, or in the bounds of a loop; lengths of arrays aside.

    Those that such a name is assigned as it is, too: `row = pivots[k]` makes `pivots` one.
    """
    found: set[str] = set()
    assigned: list[tuple[str, str]] = []

    class Values(Reader):
        def visit_Name(self, node: cst.Name) -> None:
            found.add(node.value)

        def visit_Attribute(self, node: cst.Attribute) -> bool:
            return False

        def visit_Call(self, node: cst.Call) -> bool:
            return not (isinstance(node.func, cst.Name) and node.func.value == "len")

    class Indexes(Reader):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            for index in index_expressions(node):
                index.visit(Values())

        def visit_For(self, node: cst.For) -> None:
            iterated = node.iter
            if (
                isinstance(iterated, cst.Call)
                and isinstance(iterated.func, cst.Name)
                and iterated.func.value == "range"
            ):
                for argument in iterated.args:
                    argument.visit(Values())

        def visit_Assign(self, node: cst.Assign) -> None:
            source = node.value.value if isinstance(node.value, cst.Subscript) else node.value
            for target in node.targets:
                place = target.target.value if isinstance(target.target, cst.Subscript) else target.target
                if isinstance(place, cst.Name) and isinstance(source, cst.Name):
                    assigned.append((place.value, source.value))

    method.function.body.visit(Indexes())
    while more := {source for target, source in assigned if target in found} - found:
        found |= more
    return found


def names_under_bits(method: Method) -> set[str]:
    """Names whose values operators on bits take: `key[k] & 0xFFFF`; those that are only compared there aside."""
    found: set[str] = set()

    class Operands(Reader):
        def visit_Name(self, node: cst.Name) -> None:
            found.add(node.value)

        def visit_Comparison(self, node: cst.Comparison) -> bool:
            return False

        def visit_Call(self, node: cst.Call) -> bool:
            return False

    class Operators(Reader):
        def visit_BinaryOperation(self, node: cst.BinaryOperation) -> bool:
            bits = isinstance(node.operator, cst.BitAnd | cst.BitOr | cst.BitXor | cst.LeftShift | cst.RightShift)
            if bits:
                node.visit(Operands())
            return not bits

    method.function.body.visit(Operators())
    return found


def _partitions(method: Method) -> dict[str, str]:
    """For each distributed value with a partition that is not blocks, the one whose partitioner cuts it."""
    params = {p.name: p for p in method.marked}
    found: dict[str, str] = {}
    for param in method.marked:
        root, seen = param, {param.name}
        while root.like is not None and root.like in params and root.like not in seen:
            seen.add(root.like)
            root = params[root.like]
        if root.partitioner is not None:
            found[param.name] = root.name
    return found


def _partitioner(method: Method, name: str) -> str | None:
    return next((p.partitioner for p in method.marked if p.name == name), None)


class Context:
    """The method being planned, with side tables that grow as it is; `changed_keys` are arrays of keys that it is known
    to change, so that a partitioner promises nothing of them."""

    def __init__(
        self, method: Method, kinds: Kinds, collector: Collector, changed_keys: frozenset[str] = frozenset()
    ) -> None:
        self.method = method
        self.kinds = kinds
        self.collector = collector
        self.partitions = _partitions(method)
        keys = frozenset(n for n, root in self.partitions.items() if n == root and _partitioner(method, n) == "ByKey")
        inexact = _Inexact(kinds.inexact)
        inexact.asked = kinds.asked
        self.scope = Scope(method, frozenset(kinds.ranks), {}, inexact, keys)
        self.changed_keys = changed_keys
        #: what holds somewhere in the method, and what holds from the place on that is planned
        self.all_facts: tuple[Fact, ...] = facts_of(method, self.scope, kinds.ranks)
        self._facts = tuple(fact.formula for fact in self.all_facts if fact.behind is None)
        #: what holds besides for the rest of the lists of statements around it
        self._inside: tuple[Affine, ...] = ()
        self._aliases = aliases_of(statements_of(method.function.body), kinds.ranks, kinds.aliases)
        #: which names may be one array at the place that is planned
        self.aliases = Aliases()
        self.liveness = Liveness()
        self.liveness.before(statements_of(method.function.body), frozenset())
        self.sites: list[Site] = []
        self.raises: dict[str, RaiseSite] = {}
        self._numbers = count(1)
        self.phases = 0
        #: loops of which `formulas` knows whether they are such, as they are asked for again and again
        self.formulas: dict[cst.For, bool] = {}
        #: arrays that the fence around what is planned combines, with its operator
        self.combining: Mapping[str, str] = {}
        #: the relaxed block around what is being planned
        self.relaxed: Block | None = None

    @property
    def distributed(self) -> Mapping[str, tuple[int, ...] | None]:
        """Distributed arrays: the declared ones and the arrays that the method makes; with their dims if restricted."""
        found: dict[str, tuple[int, ...] | None] = {p.name: p.dims for p in self.method.params if p.distributed}
        dims = {p.name: p.dims for p in self.method.marked_locals}
        for name in self.kinds.ranks:
            if name not in self.method.param_names or name in self.combining:
                found[name] = dims.get(name)
        return found

    @property
    def facts(self) -> tuple[Affine, ...]:
        """What holds at the place that is planned."""
        return (*self._facts, *self._inside, *self.aliases.equal_lengths(self.kinds.ranks))

    @contextmanager
    def statement_list(self) -> Iterator[None]:
        """A block in which a list of statements is planned: what it makes known is forgotten behind it."""
        outer = self._inside
        try:
            yield
        finally:
            self._inside = outer

    def learn(self, formulas: Iterable[Affine]) -> None:
        """Take for granted what holds for the rest of the list of statements that is planned."""
        self._inside += tuple(each for each in formulas if each not in self._facts)

    def stand_before(self, statement: cst.CSTNode) -> None:
        """Take what may be one array before a statement for what may be so."""
        self.aliases = self._aliases.get(statement, Aliases())

    def pass_by(self, statement: cst.CSTNode) -> None:
        """Take what holds behind a statement of the method's body for granted from now on."""
        passed = set(small_statements([statement]))
        self._facts += tuple(fact.formula for fact in self.all_facts if fact.behind in passed)

    def site(self, position: Position, array: str, axis: int, text: str, first: str = "") -> Site:
        """A new site; sites are numbered from 1."""
        site = Site(next(self._numbers), position, as_written(array, self.method.spelled), axis, text, first)
        self.sites.append(site)
        return site

    def raise_sites(self, statements: Sequence[cst.CSTNode]) -> tuple[RaiseSite, ...]:
        """The sites of the `raise` statements in `statements`."""
        found = dict(raising_of(node, self.method) for node in raises_in(statements))
        for name, raising in found.items():
            if name not in self.raises:
                self.raises[name] = RaiseSite(next(self._numbers), name, raising)
        return tuple(self.raises[name] for name in found)

    def text(self, node: cst.CSTNode) -> str:
        """The source of an expression, in one line and in the user's names."""
        return as_written(code_of(node), self.method.spelled)
