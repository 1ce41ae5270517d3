"""A plan in words, for people."""

from __future__ import annotations

import os
from collections.abc import Iterator

import libcst as cst

from somd.language.scanning import words_of
from somd.transforms.frontend.chains import CHAINED
from somd.transforms.frontend.searches import SEARCHED
from somd.transforms.plan.claimed_scans import is_alone, is_in_strips
from somd.transforms.plan.messages import NOT_DISTRIBUTED
from somd.transforms.plan.statement_words import access_of, listed, loops_of, shown, statement_of
from somd.transforms.plan.views import EVERYTHING
from somd.transforms.stages import (
    Joined,
    Method,
    Phase,
    Plan,
    Scan,
    Serial,
    Snapshot,
    Step,
    Uniform,
    nested_steps,
    written_arrays,
)
from somd.transforms.tree.rewriting import code_of, inside
from somd.transforms.tree.spelling import as_written


def explain(plan: Plan) -> str:
    """What is distributed, where the fences are, and what is checked."""
    method = plan.method
    position = method.position(method.function.name)
    lines = [f"{method.qualname} ({os.path.basename(position.file)}:{position.line})"]
    distributed = [p.name for p in method.params if p.distributed]
    lines.append(f"distributed parameters: {', '.join(distributed) or 'none'}")
    written = sorted(written_arrays(plan) & set(method.param_names))
    lines.append(f"parameters changed in place: {', '.join(written) or 'none'}")
    if method.fastmath:
        lines.append("fastmath: products are added without being rounded; on cores, sums along rows go side by side")
    for step in plan.body:
        lines.extend(_step(step, 1, plan))
    if not plan.phases():
        lines.append("  nothing is distributed: all of it runs in order, on one thread")
    if method.combine is not None:
        declared = method.combine.declared
        each = declared if isinstance(declared, tuple) else (declared,)
        lines.append(f"  the list of partial results is reduced by {', '.join(d.text for d in each)}")
    return as_written("\n".join(lines), attributes(method))


def attributes(method: Method) -> dict[str, str]:
    """What the user wrote for parameters that are attributes of objects: `self_u` is `self.u`."""
    return {name: method.spelled[name] for name in method.param_names if name in method.spelled}


def _step(step: Step, depth: int, plan: Plan) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(step, Serial):
        yield f"{pad}once, by the master: {len(step.statements)} statement{'s' if len(step.statements) != 1 else ''}"
        yield from (f"{pad}  {line}" for line in _in_order(step, plan))
    elif isinstance(step, Snapshot):
        yield f"{pad}snapshot of {', '.join(step.copies)}, for relaxed reads"
    elif isinstance(step, Uniform):
        divided = any(isinstance(each, Phase) for each in nested_steps(step.body))
        what = "scan, in one pass" if divided else "loop, as it is written"
        alone = f"where one thread runs all of the {what}:"
        together = f"taken by all parts together: {header_text(step.node)}"
        strips = "on cores, in pieces, so that what is read twice stays in the cache:"
        said = alone if is_alone(step, plan.method) else strips if is_in_strips(step, plan.method) else together
        yield f"{pad}{said}"
        if step.sweeps is not None:
            far = f"{step.sweeps.radius} iteration{'s' if step.sweeps.radius != 1 else ''}"
            yield f"{pad}  a sweep depends on the last one at most {far} away: on cores a thread"
            yield f"{pad}  runs several sweeps from fence to fence"
        if step.delay is not None:
            yield f"{pad}  phase {step.delay.phase} may wait for some turns: on cores several of them are run at a time"
        for inner in step.body:
            yield from _step(inner, depth + 1, plan)
        if step.orelse:
            yield f"{pad}otherwise:"
            for inner in step.orelse:
                yield from _step(inner, depth + 1, plan)
    elif isinstance(step, Phase):
        yield from (pad + line for line in phase_text(step, plan.method))
    elif isinstance(step, Scan):
        yield from (pad + line for line in _scan(step, plan.method))
    elif isinstance(step, Joined):
        yield f"{pad}one value of the copies of {', '.join(step.names)}, by `{step.text}`"
    else:
        count = f"{len(step.statements)} statement{'s' if len(step.statements) != 1 else ''}"
        yield f"{pad}for each part: {count}, up to its partial result"


def _in_order(step: Serial, plan: Plan) -> Iterator[str]:
    """The loops of serial code that may not be distributed, and why."""
    said: set[tuple[int, str]] = set()
    for loop, reasons in plan.in_order.items():
        if inside(loop, step.statements):
            statement, line = statement_of(loop, plan.method), plan.method.position(loop).line
            if statement is not None:
                if (line, statement) not in said:
                    yield f"in order, line {line}: what is joined in `{statement}`"
                said.add((line, statement))
                continue
            if plan.method.has_form(SEARCHED, loop):
                yield f"in order, line {plan.method.position(loop).line}: the loop, from where the search found its end"
                continue
            if plan.method.has_form(CHAINED, loop):
                yield f"in order, line {plan.method.position(loop).line}: what each iteration of the loop waits for"
                continue
            yield f"in order, line {plan.method.position(loop).line}: {header_text(loop)}"
            yield from (f"  {reason.message.removeprefix(NOT_DISTRIBUTED)} ({reason.code})" for reason in reasons)


def header_text(node: cst.For | cst.While | cst.If) -> str:
    """The line that a loop or branch begins with."""
    code = cst.Module([]).code_for_node
    if isinstance(node, cst.For):
        return f"for {code(node.target)} in {code(node.iter)}"
    return f"{'while' if isinstance(node, cst.While) else 'if'} {code(node.test)}"


def phase_text(phase: Phase, method: Method) -> Iterator[str]:
    """The lines about a phase, its loops first."""
    nest = phase.nest
    statement = statement_of(nest.dims[0].node, method)
    yield f"phase {phase.number}, line {nest.position.line}: {loops_of(nest, method)}"
    blocks = f"blocks of {nest.dims[0].variable}" + (f" and {nest.dims[1].variable}" if nest.cut_twice else "")
    if statement is not None:
        blocks = "blocks of elements" if len(nest.dims) == 1 else "blocks of rows"
    yield f"  partition: {blocks if nest.partition is None else f'that of `{nest.partition}`, by its partitioner'}"
    read, written = listed(nest.arrays_read, method), listed(nest.arrays_written, method)
    yield f"  reads {read or 'nothing'}; writes {written or 'nothing'}"
    if nest.local_arrays:
        yield f"  each iteration has its own {', '.join(local.name for local in nest.local_arrays)}"
    for reduction in nest.reductions:
        with_it = f" with {', '.join(reduction.companions)}" if reduction.companions else ""
        each = "logical block" if nest.relaxed is None else "part"
        name = as_written(reduction.name, {held: method.spelled[held] for held in method.held})
        name = listed([name], method)
        if reduction.name in method.searches:
            yield f"  search: the first {method.spelled[reduction.name]} that ends the loop, in ever longer strips"
            continue
        yield f"  reduction: {name} by {reduction.op}{with_it}, one partial result a {each}"
    for combined in nest.combined:
        yield f"  private copies of {combined.array}, combined by {combined.op}"
    if nest.copies:
        yield f"  one partial result a part, in the order of the parts: {listed(nest.copies, method)}"
    for array, pairs in nest.views.items():
        if any(pair != (0, 0) for pair in pairs):
            yield f"  view of {listed([array], method)}: {', '.join(_pair(pair) for pair in pairs)}"
    if nest.relaxed is not None:
        outside = dict.fromkeys(code_of(node) for node in nest.relaxed.reads)
        yield f"  relaxed: {', '.join(outside)} of other parts as when the block began"
    for check in (each for each in nest.checks if shown(each.site, nest, method)):
        where = f"{access_of(check.site)}, line {check.site.position.line}"
        yield f"  IndexError before the phase if {as_written(check.condition, method.spelled)} ({where})"
    if nest.near_scalars:
        near = as_written(" or ".join(nest.near_scalars), method.spelled)
        yield f"  SOMD609 before the phase if {near} is beyond 2**44"
    if nest.guarded:
        accesses = dict.fromkeys(
            access_of(sites[0]) for sites in nest.guarded.values() if shown(sites[0], nest, method)
        )
        yield from [f"  tested where they happen: {', '.join(accesses)}"] if accesses else []
    for site in nest.raises:
        text, line = " ".join(site.raising.text.split()), site.raising.position.line
        yield f"  raises in the lowest iteration that comes to it: {text} (line {line})"
    for condition in nest.in_order_if if statement is None else ():
        yield f"  one thread runs it, in order, if {condition}"
    yield "  fence"


def _scan(step: Scan, method: Method) -> Iterator[str]:
    """A scan: what is carried, and the phase that runs from the carries."""
    first, *lines = phase_text(step.phase, method)
    names = listed((carry.name for carry in step.carries if carry.by is not None), method)
    yield f"phase {step.totals.number}, of the same loop: what each block of iterations makes of {names}"
    yield first
    for carry in step.carries:
        how = "that of the last iteration" if carry.by is None else f"scan by {words_of(carry.by)}"
        yield f"  {listed([carry.name], method)}: {how}"
    yield from (line for line in lines if not line.startswith("  one partial"))


def _pair(pair: tuple[int, int]) -> str:
    return "everything" if EVERYTHING in pair else f"({pair[0]}, {pair[1]})"
