"""Arrays that a distributed loop allocates in its body: private to an iteration, or refused.

    for i in range(len(a)):
        w = np.zeros(8)          each iteration has its own `w`: what it does with it concerns no other

In: a candidate loop. Out: a `LocalArray` for each such name, and what isl may take for granted of its lengths. It is
required that the name is bound by allocations only, all of one shape that is the same in every iteration, that no
iteration reads what another one left in it, and that nothing reads it after the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl
import libcst as cst

from somd.diagnostics.model import Diagnostic
from somd.transforms.access import Affine
from somd.transforms.analysis.affine import Scope, size, variable
from somd.transforms.analysis.allocations import is_allocation, lengths_of
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.stages import LENGTH, LocalArray
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names, target_names
from somd.transforms.tree.walking import nodes_of


@dataclass(frozen=True)
class Locals:
    """`arrays` in the order of their first allocation, their `lengths` as far as they stand for themselves in indexes
    and bounds, and `facts` about all lengths; with `diagnostics` the loop may not be distributed."""

    arrays: tuple[LocalArray, ...] = ()
    lengths: Mapping[str, tuple[Affine | None, ...]] = field(default_factory=dict)
    facts: tuple[Affine, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.arrays)


def local_arrays(loop: cst.For, context: Context, sets: Sets) -> Locals:
    """The arrays that `loop` binds in its body, as private ones."""
    bound = sorted(assigned_names(loop.body) & set(context.kinds.ranks))
    if not bound:
        return Locals()
    return _Finder(loop, context, sets).found(bound)


class _Finder:
    def __init__(self, loop: cst.For, context: Context, sets: Sets) -> None:
        self.loop = loop
        self.context = context
        self.sets = sets
        self.changing = {variable(name) for name in assigned_names(loop)}
        self.scope: Scope = context.scope.with_known(dict.fromkeys(assigned_names(loop.body)))
        self.lengths: dict[str, tuple[Affine | None, ...]] = {}
        self.facts: list[Affine] = []
        self.arrays: list[LocalArray] = []
        self.diagnostics: list[Diagnostic] = []

    def found(self, bound: Sequence[str]) -> Locals:
        bindings = _bindings(self.loop, bound)
        carried = read_from_before(statements_of(self.loop.body), self.context.method)
        live = self.context.liveness.after.get(self.loop, frozenset())
        for name, values in bindings.items():
            if any(p.name == name and p.distributed for p in self.context.method.marked):
                self.diagnostics.append(messages.array_assigned(self.context.method, self.loop, name))
                continue
            calls = [call for call in values if call is not None and is_allocation(call, self.context.method)]
            if len(calls) < len(values) or name in self.context.method.param_names:
                self.diagnostics.append(messages.array_assigned(self.context.method, self.loop, name))
            elif name in carried:
                self.diagnostics.append(messages.array_carried(self.context.method, self.loop, name))
            elif name in live:
                self.diagnostics.append(messages.array_live_after(self.context.method, self.loop, name))
            else:
                self.take(name, calls)
        return Locals(tuple(self.arrays), self.lengths, tuple(self.facts), tuple(self.diagnostics))

    def take(self, name: str, calls: Sequence[cst.Call]) -> None:
        method, ranks = self.context.method, self.context.kinds.ranks
        shapes = [lengths_of(call, self.scope.with_lengths(self.lengths), ranks) for call in calls]
        lengths = [length for length in shapes[0] if length is not None and not length.names & self.changing]
        if len(lengths) < ranks[name] or len(lengths) != len(shapes[0]) or any(s != shapes[0] for s in shapes):
            self.diagnostics.append(messages.length_varies(method, calls[0], name))
            return
        natural = [self.sets.empty([], [Affine(f"{length.text} < 0", length.names)]) for length in lengths]
        for axis, (length, known) in enumerate(zip(lengths, natural, strict=True)):
            own = size(name, axis)
            text = f"{own} = {length.text}"
            if not known:
                text = f"({text} and {own} >= 0) or ({own} = 0 and {length.text} < 0)"
            self.facts.append(Affine(text, length.names | {own}))
        self.lengths[name] = tuple(length if known else None for length, known in zip(lengths, natural, strict=True))
        position, text = method.position(calls[0]), self.context.text(calls[0])
        sites = () if all(natural) else tuple(self.context.site(position, name, LENGTH, text) for _ in lengths)
        extents = tuple(_constant(length, self.sets) for length in lengths)
        self.arrays.append(LocalArray(name, tuple(calls), extents, sites))


def _bindings(loop: cst.For, names: Sequence[str]) -> dict[str, list[cst.Call | None]]:
    """What is bound to each of `names`, in source order; None for anything but a call."""
    found: dict[str, list[cst.Call | None]] = {}
    for node in nodes_of(loop.body, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For):
        if isinstance(node, cst.AnnAssign) and node.value is None:
            continue
        value = node.value if isinstance(node, cst.Assign | cst.AnnAssign) else None
        for target in [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]:
            call = value if isinstance(value, cst.Call) and isinstance(target, cst.Name) else None
            for name in target_names(target):
                if name in names:
                    found.setdefault(name, []).append(call)
    return found


def _constant(length: Affine, sets: Sets) -> int | None:
    """The value of a length that is the same in every call."""
    sets.isl.reset_operations()
    try:
        values = sets.make(["d"], [Affine(f"d = {length.text}", length.names | {"d"})])
        values = values.project_out(isl.dim_type.param, 0, values.dim(isl.dim_type.param))
        low, high = values.dim_min_val(0), values.dim_max_val(0)
    except (isl.Error, TooComplex):
        return None
    return int(low.to_python()) if low.is_int() and high.is_int() and low.eq(high) else None
