"""The stages of a method as text, for people: what `somdc explain --stage` prints.

In: a function and what it reaches. Out: the text of a stage: `frontend` (parameters, markers and the body as its
steps leave it), `analysis` (the accesses that isl is asked about), `plan`, `program` (the loop program), `passes` (what
they change of it, for each target), or the module for a target.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from types import FunctionType

import libcst as cst

from somd.capture.reach import Reach
from somd.diagnostics.model import Collector
from somd.settings.targets import TARGETS
from somd.transforms import pipeline
from somd.transforms.access import Access
from somd.transforms.analysis.accesses import accesses_of_loop
from somd.transforms.loops.printer import program_text
from somd.transforms.loops.program import Program
from somd.transforms.passes import name_of
from somd.transforms.plan.context import Context, kinds_from_source
from somd.transforms.plan.explain import explain
from somd.transforms.schedules import schedule_of
from somd.transforms.stages import Method, Param
from somd.transforms.types.scalars import Type


def stage_text(stage: str, function: FunctionType, found: Reach, arguments: Mapping[str, Type] | None = None) -> str:
    """The text of a stage, from `program` on for arguments of the types `arguments`.

    Raises:
        SomdCompileError: the method is refused on the way.
        TargetLacks: the program, or the target, has no form for it.
    """
    if stage == "frontend":
        return "\n".join(_method(pipeline.front(function, found)))
    if stage == "analysis":
        return "\n".join(_accesses(function, found))
    if stage == "plan":
        return explain(pipeline.check(function, found))
    types = pipeline.default_arguments(function, found) if arguments is None else arguments
    compiled = pipeline.compile_for(function, types, {}, found)
    if stage == "program":
        return program_text(pipeline.loop_program(compiled))
    if stage == "passes":
        return "\n".join(_changes(pipeline.loop_program(compiled), compiled.method.fastmath))
    return pipeline.module_text(compiled, stage)


def _method(method: Method) -> Iterator[str]:
    yield f"method     {method.qualname}"
    yield f"parameters {', '.join(map(_param, method.params)) or 'none'}"
    declared = method.reduction if method.combine is None else "by a function"
    yield f"reduction  {declared or 'none declared'}"
    yield f"shared     {', '.join(sorted(method.shared)) or 'none'}"
    yield f"names      {' '.join(sorted(method.local_names))}"
    yield ""
    yield cst.Module([method.function]).code.strip("\n")


def _param(param: Param) -> str:
    parts = ["distributed"] if param.distributed else []
    parts += [f"dims {param.dims}"] if param.dims is not None else []
    parts += [f"{'polyview' if param.polyview else 'view'} {param.view}"] if param.view is not None else []
    parts += [f"partition {param.partitioner}"] if param.partitioner else []
    parts += [f"like {param.like}"] if param.like else []
    return f"{param.name} ({', '.join(parts)})" if parts else param.name


def _accesses(function: FunctionType, found: Reach) -> Iterator[str]:
    plan = pipeline.check(function, found)
    method = plan.method
    context = Context(method, kinds_from_source(method), Collector())
    for fact in context.all_facts:
        yield f"fact   {fact.formula.text}"
    for phase in plan.phases():
        yield f"phase {phase.number}, line {phase.nest.position.line}"
        for access in accesses_of_loop(phase.nest.dims[0].node, context.scope):
            yield f"  {_access(access)}"


def _access(access: Access) -> str:
    indices = ", ".join("?" if index is None else index.text for index in access.indices)
    holds = [c.text for loop in access.loops for c in loop.constraints] + [guard.text for guard in access.guards]
    where = f" for {' and '.join(holds)}" if holds else ""
    inexact = "" if access.exact and all(loop.exact for loop in access.loops) else "  (at most)"
    return f"{'write' if access.write else 'read '}  {access.array}[{indices}]{where}{inexact}"


def _changes(built: Program, fastmath: bool) -> Iterator[str]:
    """The lines that the passes of each target change, pass by pass; one that changes none says nothing."""
    for target in TARGETS:
        program, silent = built, True
        for step in schedule_of(target, fastmath):
            before, program = program, step(program)
            old, new = (program_text(each).splitlines() for each in (before, program))
            changed = [*difflib.unified_diff(old, new, n=0, lineterm="")][2:]
            if changed:
                yield from (f"{target}, {name_of(step)}", *(line for line in changed if not line.startswith("@@")))
                silent = False
        if silent:
            yield f"{target}: no pass changes a line"
