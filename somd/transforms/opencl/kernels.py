"""A phase without reductions -> a kernel over its index space.

for i in range(1, n): c[i] = a[i]   ->   const long i = 1 + (long)get_global_id(0);
                                         if (i >= i_stop) return;
                                         c[i] = a[i];

`emit/c_guards.py` tells what stands behind the guard where the body has conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from somd.transforms.emit.c import noting
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_guards import ONE_AT_A_TIME
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import ITERATION, Scope
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import Declared, declared_in
from somd.transforms.loops.program import (
    Constant,
    If,
    Loop,
    Raise,
    Region,
    Return,
    Statement,
    Store,
    Variable,
    While,
)
from somd.transforms.loops.walking import goes_on, statements_in, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.fast_loops import FastLoops
from somd.transforms.opencl.local_tables import fill_tables
from somd.transforms.opencl.locals import own_arrays
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.strides import fastest_first
from somd.transforms.stages import Nest

OWN_NAMES = ("faults", ITERATION, "turn", "kept", "load")


def scope_of(nest: Nest, unit: Unit) -> Scope:
    """The scope of a kernel."""
    names = Names({*unit.taken, *OWN_NAMES})
    own = own_arrays(nest, unit.types)
    unit.needs |= {ONE_AT_A_TIME} if own else set()
    apart = [local for local in nest.local_arrays if local.name not in own]
    snapshots = {} if nest.relaxed is None else nest.relaxed.snapshots
    return Scope(
        names,
        unit.types,
        nest.scalars,
        own=own,
        apart={local.name: names.fresh(f"{names.of(local.name)}_step") for local in apart},
        lengths_tested={local.name: local.sites for local in apart if local.sites},
        snapshots={copy: array for array, copy in snapshots.items()},
        kept=unit.members,
        counted=unit.counted,
    )


def iterating(scope: Scope, region: Region, outermost: CRange) -> None:
    """Tell relaxed reads which iteration a work-item runs; without that it is one owner of everything, in order."""
    if region.relaxed:
        limits = f"{outermost.start.loose}, {outermost.stop.loose}, {outermost.step}"
        scope.relaxed_range = f"{outermost.variable}, {limits}"


def own_variables(region: Region, depth: int | None = None) -> Declared:
    """The variables of a region's iterations; those of the loops of the region inside the outermost `depth`, too."""
    loops = region.loops[: region.depth if depth is None else depth]
    given = (*(v.name for v in region.carried), *(loop.variable.name for loop in loops))
    return declared_in(loops[-1].body, given)


def flags_of(region: Region) -> frozenset[str]:
    """The variables that tell whether accumulators of a region were taken."""
    return frozenset(each.flag.name for each in region.reductions if each.flag is not None)


def in_order(region: Region, depth: int) -> tuple[Statement, ...]:
    """What an iteration of the outermost `depth` loops runs, the loops of the region inside them in their order."""
    if depth >= region.depth:
        return region.body
    inner = region.loops[depth]
    return (replace(inner, body=in_order(region, depth + 1), order="in order"),)


def kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel:
    """The kernel of a nest that has no reductions."""
    scope = scope_of(nest, unit)
    scope.noted = scope.names.fresh("noted") if _faults_wait(nest, region) else ""
    declared = own_variables(region)
    statements = FastLoops(scope, unit, declared)
    statements.of = region.body
    fill_tables(region, name, statements)
    bounds: list[Argument] = []
    order = fastest_first(region)
    apart = False
    for dimension, loop in enumerate(region.loops):
        if loop.hull is not None and not apart:
            statements.guards_end()
            apart = True
        identity = order.index(dimension)
        within = range_in_c(dimension, loop, statements.expressions, bounds)
        if dimension == 0:
            iterating(scope, region, within)
        trip = C(f"(long)get_global_id({identity})", "int64", 14)
        statements.line(f"const long {within.variable} = {within.value(trip)};")
        statements.line(f"if ({within.beyond(trip)})")
        statements.line("    return;")
    if _is_conditional(region) and not apart:
        statements.guards_end()
    statements.number(_iteration(order))
    for declaration in declarations(declared.private, scope):
        statements.line(declaration)
    place = statements.room()
    statements.block(region.body)
    if scope.noted:
        noting(scope.noted, place, statements, unit)
    arguments = with_bounds(of_scope(scope, frozenset(region.written)), bounds)
    text = kernel_text(name, arguments, statements.finished(), scope, local=statements.local)
    return Kernel(name, text, tuple(arguments), order=order, overwritten=_overwritten(nest, region))


def _overwritten(nest: Nest, region: Region) -> tuple[str, ...]:
    """The arrays in which each iteration stores one element, at the index that the loops have, whatever happens; they
    begin at 0, and no element of such an array is read."""
    left = any(isinstance(node, Raise | Return) or goes_on(node) for node in statements_in(region.body))
    if not is_plain(region) or region.aliased or left or nest.raises or tests_accesses(region.body):
        return ()
    if not all(_counts_from_zero(loop) for loop in region.loops):
        return ()
    variables = [loop.variable.name for loop in region.loops]
    stores = [node.element for node in region.body if isinstance(node, Store)]
    whole = {e.array for e in stores if [i.name for i in e.indices if isinstance(i, Variable)] == variables}
    return tuple(sorted(whole.intersection(nest.arrays_written) - set(nest.arrays_read)))


def _counts_from_zero(loop: Loop) -> bool:
    limits = [each.value for each in (loop.start, loop.step) if isinstance(each, Constant)]
    return limits == [0, 1] and loop.hull is None


def _is_conditional(region: Region) -> bool:
    """Whether an iteration may leave out something that others do: a branch, a loop, a tested access."""
    branches = any(isinstance(each, If | Loop | While | Raise) for each in statements_in(region.body))
    return branches or bool(region.local_arrays) or tests_accesses(region.body)


def _faults_wait(nest: Nest, region: Region) -> bool:
    """Whether a work-item keeps its first fault to itself until its end. Where it has loops: with an atomic between
    them, no load could begin before the one before has ended."""
    if nest.raises or any(local.sites for local in nest.local_arrays) or any(map(goes_on, region.body)):
        return False
    return any(tests_accesses((each,)) for each in statements_in(region.body) if isinstance(each, Loop | While))


def with_bounds(arguments: list[Argument], bounds: list[Argument]) -> list[Argument]:
    """Arguments with those of the bounds before scalars."""
    place = next((k for k, a in enumerate(arguments) if a.kind in ("scalar", "kept", "faults")), len(arguments))
    return [*arguments[:place], *bounds, *arguments[place:]]


def is_plain(region: Region) -> bool:
    """Whether iterations do nothing but to read and to write elements of arrays, side by side."""
    made = region.reductions or region.combined or region.handed_on or region.local_arrays
    return not (made or region.ordered_if or region.relaxed or region.partition)


def _iteration(order: tuple[int, ...]) -> str:
    """The place of an iteration in the order of the loops."""
    text = f"get_global_id({order.index(0)})"
    for dimension in range(1, len(order)):
        k = order.index(dimension)
        text = f"({text}) * get_global_size({k}) + get_global_id({k})"
    return text


def kernel_text(
    name: str,
    arguments: list[Argument],
    lines: list[str],
    scope: Scope | None = None,
    after_faults: bool = False,
    group: str = "",
    local: Sequence[str] = (),
) -> str:
    """The definition of a kernel: it takes the kept scalars of `scope` first, and does nothing after a fault, unless it
    sees to that itself: `after_faults`. Its groups have `group` work-items, where that is fixed, and `local` memory."""
    declarations_ = ", ".join(a.declaration for a in arguments)
    first: list[str] = []
    if not after_faults and any(a.kind == "faults" for a in arguments):
        first += ["    if (faults[1] < turn)", "        return;"]
    if scope is not None:
        first += [
            f"    const {CTYPES[dtype]} {text} = kept->{scope.kept[loaded]};"
            for loaded, (text, dtype) in sorted(scope.loaded.items())
        ]
    words = ["__kernel"]
    if group:
        words.append(f"__attribute__((reqd_work_group_size({group}, 1, 1)))")
    if scope is not None and scope.own:
        words.append(ONE_AT_A_TIME)
    return "\n".join([f"{' '.join(words)} void {name}({declarations_})", "{", *local, *first, *lines, "}"])
