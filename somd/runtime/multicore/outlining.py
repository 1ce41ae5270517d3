"""`prange` loops of masters become functions of their own, and calls that enter a region.

In: Numba's representation of a master, as it is made of the bytecode. Out: the same with, in place of each loop over
`prange(n)`, the call `enter_region(body, n, (names that the body reads))`. What a body assigns is its own: generated
code reads none of it behind the loop. A loop for which that does not hold stays, and is run in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba as _numba
from numba.core import analysis as _analysis
from numba.core import compiler as _compiler
from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import ir_utils as _ir_utils
from numba.core import postproc as _postproc
from numba.core import untyped_passes as _untyped_passes
from numba.core.compiler_lock import global_compiler_lock

from somd.compiling import without_collections
from somd.runtime.multicore.extremes import Extremes
from somd.runtime.multicore.libraries import MasterLibrary
from somd.runtime.multicore.regions import RegionBody, enter_region, load_layer

numba: Any = _numba
analysis: Any = _analysis
compiler: Any = _compiler
compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
ir_utils: Any = _ir_utils
postproc: Any = _postproc
untyped_passes: Any = _untyped_passes


class MasterCompiler(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler for masters: with regions of ours, and one library for all that a master reaches."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(Outlining, untyped_passes.IRProcessing)
            pipeline.add_pass_after(Extremes, Outlining)
            pipeline.finalize()
        return pipelines

    def compile_extra(self, function: Any) -> Any:
        with global_compiler_lock, without_collections():
            self.state.library = MasterLibrary(self.state.targetctx.codegen(), function.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Outlining(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """See the head of this file."""

    _name = "somd_outlining"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        func_ir = state.func_ir
        loops = list(_prange_loops(func_ir))
        for found in loops:
            _outline(state, *found)
        if loops:
            func_ir._definitions = ir_utils.build_definitions(func_ir.blocks)
            postproc.PostProcessor(func_ir).run()
            state.reload_init.append(load_layer)
        return bool(loops)


def _prange_loops(func_ir: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The loops over `prange`, each with the statement that begins its iteration and the call of `prange`."""
    for loop in analysis.compute_cfg_from_blocks(func_ir.blocks).loops().values():
        if len(loop.entries) != 1:
            continue
        (entry,) = loop.entries
        for statement in func_ir.blocks[entry].find_insts(ir.Assign):
            call = _iterated(func_ir, statement.value)
            if call is not None:
                yield loop, statement, call


def _iterated(func_ir: Any, value: Any) -> Any:
    """The call of `prange` that `value` begins to iterate over, or None."""
    if not (isinstance(value, ir.Expr) and value.op == "getiter"):
        return None
    call = ir_utils.guard(ir_utils.get_definition, func_ir, value.value)
    if not (isinstance(call, ir.Expr) and call.op == "call" and len(call.args) == 1):
        return None
    callee = ir_utils.guard(ir_utils.get_definition, func_ir, call.func)
    known = isinstance(callee, ir.Global | ir.FreeVar) and callee.value is numba.prange
    return call if known else None


def _outline(state: Any, loop: Any, iteration: Any, call: Any) -> None:
    """Take one loop out of a function."""
    blocks = state.func_ir.blocks
    (entry,) = loop.entries
    header, inside = blocks[loop.header], {label: blocks[label] for label in loop.body - {loop.header}}
    branch = header.terminator
    if not isinstance(branch, ir.Branch) or branch.truebr not in inside or branch.falsebr in loop.body:
        return
    used = analysis.compute_use_defs(blocks)
    live = analysis.compute_live_map(analysis.compute_cfg_from_blocks(blocks), blocks, used.usemap, used.defmap)
    assigned = {s.target.name for label in loop.body for s in blocks[label].find_insts(ir.Assign)}
    ranks = [s.target.name for s in header.find_insts(ir.Assign) if getattr(s.value, "op", "") == "pair_first"]
    if len(ranks) != 1 or assigned & live[branch.falsebr]:
        return
    read = set().union(*(used.usemap[label] for label in inside))
    names = sorted((live[branch.truebr] & read) - {s.target.name for s in header.find_insts(ir.Assign)})
    function = _function_of(state.func_ir, inside, loop.header, [*ranks, *names], header.body)
    body = RegionBody(function, state)
    _replace(blocks[entry], iteration, body, call.args[0], names, branch.falsebr)
    for label in loop.body:
        del blocks[label]


def _function_of(func_ir: Any, inside: dict[int, Any], header: int, names: list[str], head: list[Any]) -> Any:
    """The blocks of a loop's body as a function of `names`, of which the first is the rank, by whatever name the
    statements at the head of the loop hand it on. A jump to the header ends the function."""
    scope, loc, start = inside[head[-1].truebr].scope, head[-1].loc, head[-1].truebr
    begin, end = ir.Block(scope, loc), ir.Block(scope, loc)
    for place, name in enumerate(names):
        begin.append(ir.Assign(ir.Arg(name, place, loc), scope.get_exact(name), loc))
    for statement in head:
        if _hands_on(statement, names[0]):
            begin.append(statement)
    begin.append(ir.Jump(start, loc))
    nothing, result = (scope.redefine(name, loc) for name in ("$nothing", "$result"))
    end.append(ir.Assign(ir.Const(None, loc), nothing, loc))
    end.append(ir.Assign(ir.Expr.cast(nothing, loc), result, loc))
    end.append(ir.Return(result, loc))
    blocks = {min(header, *inside) - 1: begin, **{label: block.copy() for label, block in inside.items()}, header: end}
    return func_ir.derive(blocks, arg_count=len(names), arg_names=tuple(names), force_non_generator=True)


def _replace(block: Any, iteration: Any, body: RegionBody, count: Any, names: list[str], after: int) -> None:
    """Let a block that begins a loop enter the region instead, and go on behind it."""
    scope, loc = block.scope, iteration.loc
    function, enter, values, done = (
        scope.redefine(name, loc) for name in ("$region_body", "$enter_region", "$values", "$done")
    )
    read = [scope.get_exact(name) for name in names]
    iterator = iteration.target.name
    block.body = [s for s in block.body[:-1] if s is not iteration and not _hands_on(s, iterator)]
    block.append(ir.Assign(ir.Global("region_body", body, loc), function, loc))
    block.append(ir.Assign(ir.Global("enter_region", enter_region, loc), enter, loc))
    block.append(ir.Assign(ir.Expr.build_tuple(read, loc), values, loc))
    block.append(ir.Assign(ir.Expr.call(enter, [function, count, values], (), loc), done, loc))
    block.append(ir.Jump(after, loc))


def _hands_on(statement: Any, name: str) -> bool:
    """Whether a statement gives what `name` stands for to another name."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    return isinstance(value, ir.Var) and value.name == name
