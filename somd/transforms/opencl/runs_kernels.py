"""A phase that updates one element after the other, each by a part of its own -> a kernel of work-groups.

for k in range(n): y[row[k]] += v[k]   ->   y_run = y[keys[owner]];
                                            for (the terms of the group's parts, TERMS at a time) {
                                                terms[...] = v[k];    neighbours take neighbouring k
                                                y_run = y_run + terms[...];    each its own part, in order
                                            }
                                            y[keys[owner]] = y_run;

It is for partitions in which every part has one key: `runs_of` tells where each begins, and its key. The terms are made
by all work-items of a group and added by the owners of the parts, in the order of plain Python. GPUs only, and arrays
whose indexes have 32 bits. Whether a kernel before has failed is looked at last: to wait for it first costs more.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.emit.c import IN_ORDER, Statements, noting, without_casts
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.making import whole_number
from somd.transforms.loops.program import (
    Cast,
    Element,
    Expression,
    HelperCall,
    Operation,
    Region,
    Store,
    Tested,
    Variable,
)
from somd.transforms.loops.walking import expressions_in
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import kernel_text, own_variables, scope_of
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.runs import added_in, run_of
from somd.transforms.stages import Nest, Plan, written_arrays
from somd.transforms.types.scalars import ScalarType

#: work-items of a group, and terms in local memory
RUNS, TERMS = 256, 1536
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
#: what an update brings in
TERM = "term'"


def runs_kernel_of(nest: Nest, region: Region, name: str, plan: Plan, unit: Unit) -> Kernel | None:
    """The kernel of a nest that is one update named by a key; None for others."""
    update, method, loop = run_of(region), plan.method, region.loop
    plain = not nest.raises and (loop.start, loop.step) == (whole_number(0), whole_number(1)) and not region.relaxed
    added = None if update is None else added_in(update)
    if update is None or added is None or not plain or region.partition not in method.param_names:
        return None
    element = update.element
    # a function of the user's may have loops that need numbers which a fault would have made wrong
    calls = any(isinstance(each, HelperCall) for each in expressions_in((update,)))
    if not _key(element.indices[0], region) or region.partition in written_arrays(plan) or calls:
        return None
    assert isinstance(element.access, Tested)
    scope = scope_of(nest, unit)
    write = Statements(scope, unit, own_variables(region))
    fresh = scope.names.fresh
    bounds: list[Argument] = []
    within = range_in_c(0, loop, write.expressions, bounds)
    array, y = element.type, scope.array(element.array)
    length, site = scope.length(element.array, 0).text, element.access.sites[0].number
    scope.tests_accesses, scope.noted = True, fresh("noted")
    ends, keys, count, lane, owner, failed = (
        fresh(n) for n in ("run_ends", "run_keys", "run_count", "lane", "owner", "failed")
    )
    first, start, stop, mine, end, place = (fresh(n) for n in ("first", "start", "stop", "mine", "end", "place"))
    run, terms, part, part_stop, at = (fresh(n) for n in (f"{y}_run", "terms", "part", "part_stop", "at"))
    term = added.type
    unit.needs |= {"RUNS", "TERMS"}
    write.local.append(f"    __local {CTYPES[term.dtype]} {terms}[TERMS];")
    write.line(f"const int {failed} = faults[1] < turn;")
    write.line(f"const int {lane} = get_local_id(0), {first} = get_group_id(0) * RUNS, {owner} = {first} + {lane};")
    last = f"{ends}[min({first} + RUNS, (int){count})]"
    write.line(f"const int {start} = {ends}[{first}], {stop} = min((long){last}, {within.stop.text});")
    write.line(f"const int {mine} = {owner} < {count} ? {ends}[{owner}] : {stop};")
    write.line(f"const int {end} = {owner} < {count} ? min({ends}[{owner} + 1], {stop}) : {stop};")
    declared = write.room()
    write.line(f"long {place} = -1;")
    write.line(f"{CTYPES[array.dtype]} {run} = {zero(array.dtype)};")
    with write.braces(f"if ({mine} < {end})"):
        # The element comes first in an iteration, so its fault counts as the earlier one.
        found = f"{unit.fault_later()}({keys}[{owner}], {length}, &{scope.noted}, 2 * (long){mine}, {site})"
        write.line(f"{place} = {found};")
        write.line(f"{run} = {place} >= 0 ? {y}[{place}] : {zero(array.dtype)};")
    with write.braces(f"for (int {part} = {start}; {part} < {stop}; {part} += TERMS)"):
        write.line(BARRIER)
        write.line(f"const int {part_stop} = min({part} + TERMS, {stop});")
        with write.braces(f"for (int {at} = {part} + {lane}; {at} < {part_stop}; {at} += RUNS)"):
            write.line(f"const long {within.variable} = {at};")
            write.number(f"2 * (long){at} + 1")
            write.where(update.origin.position)
            write.line(f"{terms}[{at} - {part}] = {write.value(added).loose};")
        write.line(BARRIER)
        write.lines.append(IN_ORDER)
        with write.braces(f"for (int {at} = max({mine}, {part}); {at} < min({end}, {part_stop}); {at}++)"):
            scope.held[TERM] = f"{terms}[{at} - {part}]"
            scope.staged[element] = run
            write.line(f"{run} = {write.value(_with_term(update, term)).loose};")
    write.line(f"if ({place} >= 0 && !{failed})")
    write.line(f"    {y}[{place}] = {run};")
    noting(scope.noted, declared, write, unit, unless=failed)
    arguments = of_scope(scope, frozenset(region.written))
    own = [Argument("run_ends", ends), Argument("run_keys", keys), Argument("run_count", count)]
    arguments += [*bounds, *own]
    lines, local = write.finished(), write.local
    text = kernel_text(name, arguments, lines, scope, after_faults=True, group="RUNS", local=local)
    return Kernel(name, text, tuple(arguments))


def _with_term(update: Store, type_: ScalarType) -> Expression:
    """What an update computes, with a name for what it brings in."""

    def replaced(node: Expression) -> Expression:
        if isinstance(node, Cast):
            return replace(node, operand=replaced(node.operand))
        assert isinstance(node, Operation)
        return replace(node, operands=(node.operands[0], Variable(TERM, type_)))

    return replaced(update.value)


def _key(index: Expression, region: Region) -> bool:
    """Whether an index is the key of the iteration, `row[k]`, and nothing else."""
    key = without_casts(index)
    if not isinstance(key, Element) or key.array != region.partition or isinstance(key.access, Tested):
        return False
    return len(key.indices) == 1 and key.indices[0] == region.loop.variable
