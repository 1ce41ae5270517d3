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

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_operators import binary
from somd.transforms.opencl.c_statements import IN_ORDER, Statements, noting
from somd.transforms.opencl.c_tree import C
from somd.transforms.opencl.c_types import CTYPES, converted, zero
from somd.transforms.opencl.kernels import kernel_text, scope_of
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.runs import run_of
from somd.transforms.opencl.unit import Unit
from somd.transforms.stages import Nest, Plan, written_arrays
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import children_of
from somd.transforms.types.scalars import AUGMENTED
from somd.transforms.types.typing_table import Types

#: work-items of a group, and terms in local memory
RUNS, TERMS = 256, 1536
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


def runs_kernel_of(nest: Nest, name: str, plan: Plan, types: Types, unit: Unit) -> Kernel | None:
    """The kernel of a nest that is one update named by a key; None for others."""
    update, method = run_of(nest), plan.method
    dim = nest.dims[0]
    plain = not nest.raises and dim.step == 1 and integer_constant(dim.start, method) == 0 and nest.relaxed is None
    if update is None or not plain or nest.partition not in method.param_names:
        return None
    target = update.target
    assert isinstance(target, cst.Subscript)
    index = index_expressions(target)[0]
    if not _key(index, nest, types) or nest.partition in written_arrays(plan) or _calls_helper(update.value, types):
        return None
    scope = scope_of(nest, method, types, unit)
    write = Statements(Expressions(scope, unit), frozenset())
    fresh = scope.names.fresh
    bounds: list[Argument] = []
    within = range_in_c(0, dim, write.expressions, bounds)
    array, y = write.expressions.accessed(target)
    assert isinstance(target.value, cst.Name)
    length, site = scope.length(target.value.value, 0).text, scope.guarded[target][0].number
    scope.tests_accesses, scope.noted = True, fresh("noted")
    ends, keys, count, lane, owner, failed = (
        fresh(n) for n in ("run_ends", "run_keys", "run_count", "lane", "owner", "failed")
    )
    first, start, stop, mine, end, place = (fresh(n) for n in ("first", "start", "stop", "mine", "end", "place"))
    run, terms, part, part_stop, at = (fresh(n) for n in (f"{y}_run", "terms", "part", "part_stop", "at"))
    term = write.expressions.type_of(update.value)
    write.line(f"__local {CTYPES[term.dtype]} {terms}[TERMS];")
    write.line(f"const int {failed} = faults[1] < turn;")
    write.line(f"const int {lane} = get_local_id(0), {first} = get_group_id(0) * RUNS, {owner} = {first} + {lane};")
    last = f"{ends}[min({first} + RUNS, (int){count})]"
    write.line(f"const int {start} = {ends}[{first}], {stop} = min((long){last}, {within.stop.text});")
    write.line(f"const int {mine} = {owner} < {count} ? {ends}[{owner}] : {stop};")
    write.line(f"const int {end} = {owner} < {count} ? min({ends}[{owner} + 1], {stop}) : {stop};")
    marker = len(write.lines)
    write.line(f"long {place} = -1;")
    write.line(f"{CTYPES[array.dtype]} {run} = {zero(array.dtype)};")
    write.open(f"if ({mine} < {end})")
    # The element comes first in an iteration, so its fault counts as the earlier one.
    found = f"{unit.fault_later()}({keys}[{owner}], {length}, &{scope.noted}, 2 * (long){mine}, {site})"
    write.line(f"{place} = {found};")
    write.line(f"{run} = {place} >= 0 ? {y}[{place}] : {zero(array.dtype)};")
    write.close()
    write.open(f"for (int {part} = {start}; {part} < {stop}; {part} += TERMS)")
    write.line(BARRIER)
    write.line(f"const int {part_stop} = min({part} + TERMS, {stop});")
    write.open(f"for (int {at} = {part} + {lane}; {at} < {part_stop}; {at} += RUNS)")
    write.line(f"const long {within.variable} = {at};")
    write.number(f"2 * (long){at} + 1")
    write._where(update)
    write.line(f"{terms}[{at} - {part}] = {write.expressions.of_type(update.value, term.dtype).loose};")
    write.close()
    write.line(BARRIER)
    write.lines.append(IN_ORDER)
    write.open(f"for (int {at} = max({mine}, {part}); {at} < min({end}, {part_stop}); {at}++)")
    operator, kind = AUGMENTED[type(update.operator)], write.expressions.type_of(update)
    result = binary(operator, C(run, array.dtype), C(f"{terms}[{at} - {part}]", term.dtype), kind, unit)
    write.line(f"{run} = {converted(result, array.dtype).loose};")
    write.close()
    write.close()
    write.line(f"if ({place} >= 0 && !{failed})")
    write.line(f"    {y}[{place}] = {run};")
    noting(scope.noted, marker, write, unless=failed)
    arguments = of_scope(scope, frozenset(nest.arrays_written))
    own = [Argument("run_ends", ends), Argument("run_keys", keys), Argument("run_count", count)]
    arguments += [*bounds, *own]
    text = kernel_text(name, arguments, write.finished(), scope, after_faults=True, group="RUNS")
    return Kernel(name, text, tuple(arguments))


def _key(index: cst.BaseExpression, nest: Nest, types: Types) -> bool:
    """Whether an index is the key of the iteration, `row[k]`, and nothing else."""
    if not isinstance(index, cst.Subscript) or names_read(index.value) != {nest.partition}:
        return False
    parts = index_expressions(index)
    same = isinstance(parts[0], cst.Name) and parts[0].value == nest.dims[0].variable
    return len(parts) == 1 and same and index not in nest.guarded


def _calls_helper(node: cst.CSTNode, types: Types) -> bool:
    """Whether a function of the user's is called, whose loops may need numbers that a fault would have made wrong."""
    own = isinstance(node, cst.Call) and types.calls[node].kind == "helper" if node in types.calls else False
    return own or any(_calls_helper(child, types) for child in children_of(node))
