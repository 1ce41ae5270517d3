"""Phases whose partial results the user's own means reduce: one slot an MI, in rank order.

    mi_count = 1 if ... < small_work() else part_count(trips(0, len(a), 1), n_slaves)
    best_partials = np.full(mi_count, best, np.float64)
    for rank in prange(mi_count):
        lo, hi = slave_range(0, len(a), 1, rank, mi_count)
        longest_slave_1(lo, hi, a, best_partials, rank)
    return [longest_result(best_partials[part], len(a)) for part in range(mi_count)]

Every MI takes its copies from its slots and leaves them there, so that it may run several ranges of a partition. Where
the loop has no iterations there is one MI, which has none.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Partials
from somd.transforms.multicore.exact_tests import ExactTests
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.nodes import converted, indented
from somd.transforms.multicore.printing import Printing
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.plan.work import work_text
from somd.transforms.stages import Joined, PartialResults, Plan, joined_names
from somd.transforms.tree.rewriting import list_of_one, parsed, transformed_statement
from somd.transforms.tree.walking import Transformer
from somd.transforms.types.scalars import ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Types


def copies_phase(
    builder: SlaveBuilder, slave: Slave, plan: Plan, types: Types, exact: ExactTests
) -> list[cst.BaseStatement]:
    """The master's statements for a phase with copies."""
    nest, fresh = builder.nest, builder.fresh
    rank, parts, count = map(fresh.name, ("rank", "n_slaves", "mi_count"))
    lo, hi = fresh.name("lo"), fresh.name("hi")
    start, stop, step = (*map(builder.text, (nest.dims[0].start, nest.dims[0].stop)), nest.dims[0].step)
    alone = alone_text(builder, plan, exact)
    call = f"{slave.name}({', '.join((lo, hi, *slave.arguments))})"
    if nest.partition is None:
        before = [f"{count} = part_count(trips({start}, {stop}, {step}), {parts})"]
        share = f"    {lo}, {hi} = slave_range({start}, {stop}, {step}, {rank}, {count})\n    {call}\n"
    else:
        ranges, owners, part = map(fresh.name, ("own_parts", "own_owners", "part"))
        given = ", ".join(map(fresh.name, (f"{nest.partition}_parts", f"{nest.partition}_owners")))
        before = [f"{ranges}, {owners} = with_trips({given}, {start}, {stop}, {step})", f"{count} = len({owners}) - 1"]
        share = (
            f"    for {part} in range({owners}[{rank}], {owners}[{rank} + 1]):\n"
            f"        {lo} = first_from({ranges}[{part}, 0], {start}, {step})\n"
            f"        {hi} = min({stop}, {ranges}[{part}, 1])\n"
            f"        {call}\n"
        )
    slots = []
    for name in nest.copies:
        scalar = types.names[name]
        assert isinstance(scalar, ScalarType)
        slots.append(f"{builder.partials(name)} = np.full({count}, {name}, np.{numpy_name(scalar.dtype)})")
    whole = f"{slave.name}({', '.join((start, stop, *slave.arguments))})"
    return parsed(
        *before,
        f"if {alone}:\n    {count} = 1\n",
        *slots,
        f"if {count} == 1:\n    {rank} = 0\n    {whole}\nelse:\n    for {rank} in prange({count}):\n{indented(share)}",
    )


def alone_text(builder: SlaveBuilder, plan: Plan, exact: ExactTests) -> str:
    """The condition under which one MI has all iterations."""
    nest = builder.nest
    work = work_text(nest, plan.method, builder.text)
    return " or ".join([*(f"({exact.text(text)})" for text in nest.in_order_if), f"{work} < small_work()"])


def joined(step: Joined, plan: Plan, fresh: Fresh) -> list[cst.BaseStatement]:
    """The end of a fence: a function of the user's writes one value of the copies to the first slot."""
    texts = []
    for number, (fence, name) in enumerate(joined_names(plan)):
        if fence is step:
            slots = fresh.name(f"{name}_partials")
            texts += [f"join({fresh.name('functions')}, {number}, {slots})", f"{name} = {slots}[0]"]
    return parsed(*texts)


def result_function(step: PartialResults, plan: Plan, printing: Printing, fresh: Fresh) -> cst.FunctionDef:
    """The rest of the method as a function of an MI's copies and of what else it needs."""
    parameters = ", ".join((*step.names, *step.inputs))
    header = f"@helper\ndef {result_name(plan, fresh)}({parameters}):\n    pass\n"
    function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
    [partials] = printing.block(step)
    assert isinstance(partials, Partials)
    body = printing.statements(partials.body)
    comment = cst.EmptyLine(comment=cst.Comment("# what a part returns, from its copies"))
    return function.with_changes(
        body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
    )


def result_name(plan: Plan, fresh: Fresh) -> str:
    return fresh.name(f"{plan.method.name}_result")


def results(step: PartialResults, plan: Plan, types: Types, fresh: Fresh) -> list[cst.BaseStatement]:
    """The master's last statement: the list of partial results, in rank order."""
    part, count = fresh.name("part"), fresh.name("mi_count")
    slots = [f"{fresh.name(f'{name}_partials')}[{part}]" for name in step.names]
    value = f"{result_name(plan, fresh)}({', '.join((*slots, *step.inputs))})"
    if isinstance(types.result, ScalarType) and types.result.narrow:
        value = f"np.{numpy_name(types.result.dtype)}({value})"
    return parsed(f"return [{value} for {part} in range({count})]")


def listed(statement: cst.BaseStatement, types: Types) -> cst.BaseStatement:
    """A statement before the loop with `return x` as `return [x]`: all MIs return the same, so one is enough."""
    return transformed_statement(statement, _Listed(types.result))


class _Listed(Transformer):
    def __init__(self, result: Type | None) -> None:
        super().__init__()
        self.result = result

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        if value is None:
            return updated_node
        if isinstance(self.result, ScalarType):
            value = converted(value, self.result.dtype)
        elif isinstance(self.result, TupleType) and isinstance(value, cst.Tuple):
            elements = [
                e.with_changes(value=converted(e.value, kind.dtype))
                for e, kind in zip(value.elements, self.result.elements, strict=True)
            ]
            value = value.with_changes(elements=elements)
        return updated_node.with_changes(value=list_of_one(value))
