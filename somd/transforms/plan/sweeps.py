"""Uniform loops whose sweeps an MI may run several at a time, without a fence between them.

A *sweep* is one run of one phase of the loop. Where isl proves that what iteration i of a sweep reads or writes, later
sweeps touch only in iterations at most `radius` further away for each sweep in between, an MI may go on with its next
sweep as long as it stays that far inside its part: the same operations on the same values, in another order.

In: a uniform `for` whose steps are planned. Out: `Sweeps`, or None where nothing is proved. What the dependence
analysis cannot say exactly counts as "any".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.syntax import expression_of
from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of, index_expressions
from somd.transforms.analysis.affine import size, variable
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.dependences import keys_in
from somd.transforms.analysis.distances import distance
from somd.transforms.analysis.sets import Sets, TooComplex, renamed
from somd.transforms.plan.context import Context
from somd.transforms.stages import Nest, Phase, Serial, Step, Sweeps, Uniform
from somd.transforms.tree.loops import integer_constant, range_of, small_statements
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of, nodes_in

#: the widest reach from sweep to sweep that is tried
MAX_RADIUS = 4
#: the most sweeps that one turn of the loop may have, loops of a few turns inside it written out
MAX_SWEEPS = 8
#: the widest stride that is worth taking the columns of an array apart
MAX_STRIDE = 4
LATER = "__later"
TURNS = "turns"

Known = Mapping[str, int]


@dataclass(frozen=True)
class _Sweep:
    """A phase of the loop as the n-th sweep of a turn, with the values that inner loops give their variables."""

    phase: Phase
    known: Known

    def accesses(self, context: Context) -> list[Access]:
        loop = self.phase.nest.dims[0].node
        scope = context.scope.with_known(dict.fromkeys(assigned_names(loop.body)))
        return list(accesses_of((loop,), scope))


def sweeps_of(step: Uniform, around: Sequence[Affine], context: Context) -> Sweeps | None:
    """What is proved of the sweeps of a uniform loop, with the least radius; `around` holds inside it."""
    if not isinstance(step.node, cst.For) or step.guarded:
        return None
    header = range_of(step.node)
    turn = None if header is None else integer_constant(header.step, context.method)
    if header is None or turn is None or turn <= 0:
        return None
    sweeps = _sweeps(step.body, {}, context)
    changed = assigned_names(step.node.body) | {header.variable}
    scalars = changed - set(context.kinds.ranks)
    if not sweeps or len(sweeps) > MAX_SWEEPS or not all(_plain(s.phase.nest, scalars) for s in sweeps):
        return None
    if any(s.phase.nest.raises for s in sweeps):
        return None
    tested = any(s.phase.nest.tests for s in sweeps)
    if tested and not all(_fails_at_once(s.phase.nest, changed, sweeps) for s in sweeps):
        return None
    if header.variable in assigned_names(step.node.body) or len({s.phase.nest.partition for s in sweeps}) > 1:
        return None
    every = [sweep.accesses(context) for sweep in sweeps]
    all_accesses = every
    memory = _Memory(changed & set(context.kinds.ranks), context.aliases)
    written = {a.array for accesses in every for a in accesses if a.write}
    every = [[a for a in accesses if any(memory.same(a.array, name) for name in written)] for accesses in every]
    if any(None in a.indices or a.loops[0].strided for accesses in every for a in accesses):
        return None
    equal = list(_equal_shapes(changed, context))
    later = variable(header.variable) + LATER
    turns_of = Affine(
        f"{later} = {variable(header.variable)} + {turn} * {TURNS}",
        frozenset({later, TURNS, variable(header.variable)}),
    )
    cut = sweeps[0].phase.nest.partition is not None
    keyed = any(keys_in(index) for accesses in every for a in accesses for index in a.indices if index is not None)
    try:
        for radius in range(1 if cut or keyed or tested else MAX_RADIUS + 1):
            meetings = _meetings(sweeps, every, radius, [*around, *equal], scalars, memory, turns_of)
            if all(Sets(context.facts).empty(*meeting) for meeting in meetings):
                packing = _packing(sweeps, all_accesses, changed, context) if radius else Sweeps(0)
                return replace(packing, radius=radius)
    except TooComplex:
        pass
    return None


def _packing(
    sweeps: Sequence[_Sweep], every: Sequence[Sequence[Access]], changed: set[str], context: Context
) -> Sweeps:
    """Which arrays all sweeps reach only with one stride along their last axis."""
    none = Sweeps(0)
    inner = [sweep.phase.nest.dims[-1] for sweep in sweeps]
    strides = {dim.step for dim in inner}
    stride = strides.pop()
    bodies = [statement for sweep in sweeps for statement in sweep.phase.nest.body]
    deeper = any(_contains(statement, (cst.For, cst.While)) for statement in bodies)
    alone = any(len(sweep.phase.nest.dims) < 2 for sweep in sweeps)
    if strides or not 2 <= stride <= MAX_STRIDE or deeper or alone or context.aliases.possible:
        return none
    offsets: dict[cst.Subscript, int] = {}
    arrays: dict[str, bool] = {}
    for dim, accesses in zip(inner, every, strict=True):
        name = variable(dim.variable)
        for access in accesses:
            *others, last = access.indices
            if not any(index is None or name in index.names for index in access.indices):
                arrays[access.array] = False
                continue
            offset = None
            if last is not None and len(others) == 1 and others[0] is not None and name not in others[0].names:
                low, high = distance(access, last, name, Sets(context.facts))
                offset = low if low == high else None
            if offset is None or access.array in changed or arrays.get(access.array) is False:
                return none
            if offsets.get(access.node, offset) != offset:  # an index that is one of several
                return none
            arrays[access.array] = True
            offsets[access.node] = offset
    packed = tuple(sorted(name for name, strided in arrays.items() if strided))
    mixed = any(not arrays[access.array] and access.node in offsets for accesses in every for access in accesses)
    return none if mixed or not packed else Sweeps(0, stride, offsets, packed)


def _sweeps(steps: Sequence[Step], known: Known, context: Context) -> list[_Sweep] | None:
    """The sweeps of one turn in order; None where a step is neither a phase nor done by each MI for itself."""
    found: list[_Sweep] = []
    for step in steps:
        if isinstance(step, Phase):
            found.append(_Sweep(step, known))
        elif isinstance(step, Serial):
            if not replicable(step, context):
                return None
        elif isinstance(step, Uniform) and isinstance(step.node, cst.For) and not step.guarded:
            header = range_of(step.node)
            limits = None if header is None else (*header.limits, header.step)
            values = [integer_constant(limit, context.method) for limit in limits or ()]
            if header is None or None in values or not values[2] or header.variable in assigned_names(step.node.body):
                return None
            turns = range(*values)  # type: ignore[arg-type]
            if len(turns) > MAX_SWEEPS:
                return None
            for value in turns:
                inner = _sweeps(step.body, {**known, header.variable: value}, context)
                if inner is None:
                    return None
                found.extend(inner)
        else:
            return None
    return found


def replicable(step: Serial, context: Context) -> bool:
    """Whether each MI may run the statements for itself: scalars from scalars, and arrays exchanged; nothing raises."""
    if step.arrays_read or step.arrays_written or step.guarded:
        return False
    return all(_harmless(statement, context) for statement in small_statements(step.statements))


def _harmless(node: cst.CSTNode, context: Context) -> bool:
    arrays = set(context.kinds.ranks)
    if isinstance(node, cst.Pass) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString)):
        return True
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        bound = assigned_names(node) & arrays
        exchange = isinstance(node.value, cst.Tuple) and names_read(node.value) == assigned_names(node) <= arrays
        return exchange if bound else _total(node.value)
    if isinstance(node, cst.AnnAssign) and node.value is not None:
        return not assigned_names(node) & arrays and _total(node.value)
    operators = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)
    return isinstance(node, cst.AugAssign) and isinstance(node.operator, operators) and _total(node.value)


def _total(node: cst.BaseExpression) -> bool:
    """Whether an expression is arithmetic that cannot raise."""
    kinds = cst.Name | cst.Integer | cst.Float | cst.UnaryOperation | cst.Tuple | cst.IfExp | cst.Comparison
    for each in nodes_in(node):
        if isinstance(each, cst.BinaryOperation):
            if not isinstance(each.operator, cst.Add | cst.Subtract | cst.Multiply):
                return False
        elif isinstance(each, cst.BaseExpression) and not isinstance(each, kinds):
            return False
    return True


def _plain(nest: Nest, changed: set[str]) -> bool:
    """Whether a phase is a nest over blocks that cannot fail, whose range and checks are the same in each sweep."""
    outer = nest.dims[0]
    special = nest.reductions or nest.combined or nest.copies or nest.relaxed or nest.in_order_if or nest.local_arrays
    if special or nest.wrapping - set(nest.guarded) or nest.grid or outer.step <= 0:
        return False
    texts = {name for check in nest.checks for name in _names(check.condition)}
    texts |= set(nest.near_scalars)
    return not changed & (names_read(outer.start) | names_read(outer.stop) | texts)


def _equal_shapes(changed: set[str], context: Context) -> Iterator[Affine]:
    """That arrays which are exchanged have one shape, which is asked before sweeps are joined."""
    exchanged = sorted(name for name in changed if name in context.kinds.ranks)
    for name in exchanged[1:]:
        for axis in range(context.kinds.ranks[name]):
            first, other = size(exchanged[0], axis), size(name, axis)
            yield Affine(f"{first} = {other}", frozenset({first, other}))


def _fails_at_once(nest: Nest, changed: set[str], sweeps: Sequence[_Sweep]) -> bool:
    """Whether an access that is tested fails in the first sweep already, if it does in any: it happens in every
    iteration, with an index that no sweep changes. So MIs that are ahead of others fail at the same iteration."""
    varying = changed - {dim.variable for dim in nest.dims}
    varying |= {name for sweep in sweeps for name in sweep.phase.nest.arrays_written} | set(nest.privates)
    conditional = (cst.BaseCompoundStatement, cst.IfExp, cst.BooleanOperation, cst.Call)
    if len(sweeps) > 1 or any(_contains(statement, conditional) for statement in nest.body):
        return False
    indexes = [index for node in nest.guarded for index in index_expressions(node)]
    indexes += [limit for dim in nest.dims for limit in (dim.start, dim.stop)]
    return not any(names_read(index) & varying for index in indexes)


def _contains(node: cst.CSTNode, kinds: tuple[type[cst.CSTNode], ...]) -> bool:
    return isinstance(node, kinds) or any(_contains(child, kinds) for child in children_of(node))


class _Memory:
    """Which names may be one array in two sweeps: arrays that are exchanged from turn to turn are all one, and so are
    others that are one with such an array before the loop."""

    def __init__(self, exchanged: set[str], aliases: Aliases) -> None:
        self.exchanged = aliases.with_others(exchanged)
        self.aliases = aliases

    def same(self, first: str, second: str) -> bool:
        return {first, second} <= self.exchanged or self.aliases.may_be_one(first, second)


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(expression_of(text)) if isinstance(node, ast.Name)}


def _meetings(
    sweeps: Sequence[_Sweep],
    every: Sequence[Sequence[Access]],
    radius: int,
    around: Sequence[Affine],
    changed: set[str],
    memory: _Memory,
    turns_of: Affine,
) -> Iterator[tuple[list[str], list[Affine]]]:
    """Variables and formulas of: two accesses, one of them later and a write among them, meet beyond the radius.
    `changed` are the scalars that the loop assigns."""
    for k, first in enumerate(sweeps):
        for n, second in enumerate(sweeps):
            for mine in every[k]:
                for theirs in every[n]:
                    if memory.same(mine.array, theirs.array) and (mine.write or theirs.write):
                        apart = _Apart(n - k, len(sweeps), radius)
                        known = (first.known, second.known)
                        variables, formulas = _meeting(mine, theirs, known, apart, around, changed)
                        yield variables, [*formulas, turns_of]


@dataclass(frozen=True)
class _Apart:
    """How far two sweeps and their iterations are from each other: `ahead` + `count` * turns sweeps, turns >= 0."""

    ahead: int
    count: int
    radius: int

    def formulas(self, variable: str, other: str) -> Iterator[Affine]:
        sweeps = f"({self.ahead} + {self.count} * {TURNS})"
        yield Affine(f"{TURNS} >= 0 and {sweeps} >= 1", frozenset({TURNS}))
        reach = f"{self.radius} * {sweeps}"
        names = frozenset({variable, other, TURNS})
        yield Affine(f"{other} - {variable} > {reach} or {variable} - {other} > {reach}", names)


def _meeting(
    first: Access,
    second: Access,
    known: tuple[Known, Known],
    apart: _Apart,
    around: Sequence[Affine],
    changed: set[str],
) -> tuple[list[str], list[Affine]]:
    mine, theirs = (_formulas(access, around, values) for access, values in zip((first, second), known, strict=True))
    keys = sorted({name for formula in (*mine, *theirs) for name in keys_in(formula)})
    loops = [domain.variable for domain in second.loops]
    scalars = sorted(variable(name) for name in changed)
    formulas = [*mine, *(renamed(formula, [*loops, *keys, *scalars], LATER) for formula in theirs)]
    for key in keys:
        formulas.append(Affine(f"{key} >= 0 and {key}{LATER} >= 0", frozenset({key, key + LATER})))
        if key.endswith(f"__{first.loops[0].variable}"):
            formulas.append(Affine(f"{key} != {key}{LATER}", frozenset({key, key + LATER})))
    formulas += apart.formulas(first.loops[0].variable, second.loops[0].variable + LATER)
    elements = [f"e_{axis}" for axis in range(len(first.indices))]
    own = [*(domain.variable for domain in first.loops), *keys, *scalars]
    later = [name + LATER for name in (*loops, *keys, *scalars)]
    return [*dict.fromkeys((*own, *later, *elements, TURNS))], formulas


def _formulas(access: Access, around: Sequence[Affine], known: Known) -> list[Affine]:
    """All that holds when the access happens, and which element it touches."""
    formulas = [*around, *access.guards, *(c for domain in access.loops for c in domain.constraints)]
    for name, value in known.items():
        formulas.append(Affine(f"{variable(name)} = {value}", frozenset({variable(name)})))
    for axis, index in enumerate(access.indices):
        assert index is not None
        formulas.append(Affine(f"e_{axis} = {index.text}", index.names | {f"e_{axis}"}))
    return formulas
