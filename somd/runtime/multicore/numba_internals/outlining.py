"""`prange` loops of masters become functions of their own, and calls that enter a region.

In: Numba's representation of a master, as it is made of the bytecode. Out: the same with, in place of each loop over
`prange(n)`, the call `enter_region(body, n, (names that the body reads))`. What a body assigns is its own: generated
code reads none of it behind the loop. A loop for which that does not hold stays, and is run in order.

Where such a loop is in another one, all of the master becomes a function, too, which takes a crew (see `crews`) before
its arguments: what is left is a call of it. A master that calls functions of the user's at fences has none: they may
fork, or enter regions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numba as _numba
from numba.core import analysis as _analysis
from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import ir_utils as _ir_utils
from numba.core import postproc as _postproc

from somd.compiling.signals import answer
from somd.runtime.multicore import crews
from somd.runtime.multicore.fences import join
from somd.runtime.multicore.numba_internals.libraries import MasterLibrary
from somd.runtime.multicore.numba_internals.lifetimes import when_asked
from somd.runtime.multicore.numba_internals.operators import remembered
from somd.runtime.multicore.numba_internals.parts import workers
from somd.runtime.multicore.numba_internals.pipeline import Compiler
from somd.runtime.multicore.numba_internals.regions import MasterBody, RegionBody, enter_region, load_layer, with_crew

numba: Any = _numba
analysis: Any = _analysis
compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
ir_utils: Any = _ir_utils
postproc: Any = _postproc


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class Outlining(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """See the head of this file."""

    _name = "somd_outlining"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        func_ir = state.func_ir
        loops = list(_prange_loops(func_ir))
        gathers = crews.SUPPORTED and _repeated(func_ir, [loop for loop, _, _ in loops]) and not _joins(func_ir)
        crew = _crew_taken(func_ir) if gathers else None
        uses = Uses(func_ir.blocks)
        for found in loops:
            _outline(state, crew, uses, *found)
        if loops:
            func_ir._definitions = ir_utils.build_definitions(func_ir.blocks)
            if gathers:
                _call_with_crew(state)
            postproc.PostProcessor(func_ir).run()
            state.reload_init.append(load_layer)
        return bool(loops)


class MasterCompiler(Compiler):
    """Numba's compiler for masters: with regions of ours, and one library for all that a master reaches."""

    first = (Outlining,)

    def compile_extra(self, function: Any) -> Any:
        with when_asked(), remembered(), workers():
            answer()
            self.state.library = MasterLibrary(self.state.targetctx.codegen(), function.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)


def _repeated(func_ir: Any, loops: list[Any]) -> bool:
    """Whether one of these loops is in another loop that is none of them."""
    around = [loop for loop in analysis.compute_cfg_from_blocks(func_ir.blocks).loops().values() if loop not in loops]
    return any(inner.header in outer.body for inner in loops for outer in around)


def _joins(func_ir: Any) -> bool:
    """Whether a master calls functions of the user's."""
    values = (s.value for block in func_ir.blocks.values() for s in block.find_insts(ir.Assign))
    return any(isinstance(value, ir.Global | ir.FreeVar) and value.value is join for value in values)


def _crew_taken(func_ir: Any) -> Any:
    """The name of a first argument that a function has now, before those that it had."""
    for block in func_ir.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if isinstance(statement.value, ir.Arg):
                statement.value = ir.Arg(statement.value.name, statement.value.index + 1, statement.value.loc)
    first = func_ir.blocks[min(func_ir.blocks)]
    crew = first.scope.redefine("$crew", first.loc)
    first.prepend(ir.Assign(ir.Arg("$crew", 0, first.loc), crew, first.loc))
    return crew


def _call_with_crew(state: Any) -> None:
    """Let a master be a call of the function that it was, with a crew."""
    func_ir, names = state.func_ir, list(state.func_ir.arg_names)
    inner = _derived(func_ir, func_ir.blocks, ["$crew", *names])
    loc = func_ir.loc
    scope = ir.Scope(None, loc)
    block = ir.Block(scope, loc)
    given = [scope.define(name, loc) for name in names]
    for place, (name, value) in enumerate(zip(names, given, strict=True)):
        block.append(ir.Assign(ir.Arg(name, place, loc), value, loc))
    body, call, values, made, result = (
        scope.define(name, loc) for name in ("$master_body", "$with_crew", "$values", "$made", "$result")
    )
    block.append(ir.Assign(ir.Global("master_body", MasterBody(inner, state), loc), body, loc))
    block.append(ir.Assign(ir.Global("with_crew", with_crew, loc), call, loc))
    block.append(ir.Assign(ir.Expr.build_tuple(given, loc), values, loc))
    block.append(ir.Assign(ir.Expr.call(call, [body, values], (), loc), made, loc))
    block.append(ir.Assign(ir.Expr.cast(made, loc), result, loc))
    block.append(ir.Return(result, loc))
    func_ir.blocks = {0: block}
    func_ir._definitions = ir_utils.build_definitions(func_ir.blocks)


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


class Uses:
    """What blocks of a function read and assign, and what is live where they begin; found once for all loops, since
    one that is taken out leaves the reads of the others as they are.

    Numba's `compute_live_map` gives the same, and asks for all definitions that reach each block: in a master of some
    hundred blocks most of the time.
    """

    def __init__(self, blocks: dict[int, Any]) -> None:
        found = analysis.compute_use_defs(blocks)
        self.read: dict[int, set[str]] = found.usemap
        graph = analysis.compute_cfg_from_blocks(blocks)
        self.live = {label: set(names) for label, names in self.read.items()}
        waiting = list(blocks)
        while waiting:
            label = waiting.pop()
            for before, _ in graph.predecessors(label):
                new = self.live[label] - found.defmap[before] - self.live[before]
                if new:
                    self.live[before] |= new
                    waiting.append(before)


def _outline(state: Any, crew: Any, uses: Uses, loop: Any, iteration: Any, call: Any) -> None:
    """Take one loop out of a function, which is to be run by a crew, if there is one."""
    blocks = state.func_ir.blocks
    (entry,) = loop.entries
    header, inside = blocks[loop.header], {label: blocks[label] for label in loop.body - {loop.header}}
    branch = header.terminator
    if not isinstance(branch, ir.Branch) or branch.truebr not in inside or branch.falsebr in loop.body:
        return
    live = uses.live
    assigned = {s.target.name for label in loop.body for s in blocks[label].find_insts(ir.Assign)}
    ranks = [s.target.name for s in header.find_insts(ir.Assign) if getattr(s.value, "op", "") == "pair_first"]
    if len(ranks) != 1 or assigned & live[branch.falsebr]:
        return
    read = set().union(*(uses.read[label] for label in inside))
    names = sorted((live[branch.truebr] & read) - {s.target.name for s in header.find_insts(ir.Assign)})
    function = _function_of(state.func_ir, inside, loop.header, [*ranks, *names], header.body)
    body = RegionBody(function, state)
    _replace(blocks[entry], iteration, body, [call.args[0], crew], names, branch.falsebr)
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
    return _derived(func_ir, blocks, names)


def _derived(func_ir: Any, blocks: dict[int, Any], names: Sequence[str]) -> Any:
    """A function of its own, for Numba takes a call of the same function with arguments of the same types for one that
    never ends.

    Numba hands the definitions of the old one on. In them an argument has the place that it had there, and with it
    what Numba knows of the types at places: `x.ndim` and `len(x)` would be those of another argument.
    """
    made = func_ir.derive(blocks, arg_count=len(names), arg_names=tuple(names), force_non_generator=True)
    made._definitions = ir_utils.build_definitions(blocks)
    old = made.func_id.func
    made.func_id.func = FunctionType(old.__code__, old.__globals__, old.__name__, old.__defaults__, old.__closure__)
    return made


def _replace(block: Any, iteration: Any, body: RegionBody, run: list[Any], names: list[str], after: int) -> None:
    """Let a block that begins a loop enter the region instead, and go on behind it. `run`: how many ranks, by what
    crew."""
    scope, loc = block.scope, iteration.loc
    function, enter, values, done, none = (
        scope.redefine(name, loc) for name in ("$region_body", "$enter_region", "$values", "$done", "$no_crew")
    )
    count, crew = run
    read = [scope.get_exact(name) for name in names]
    iterator = iteration.target.name
    block.body = [s for s in block.body[:-1] if s is not iteration and not _hands_on(s, iterator)]
    block.append(ir.Assign(ir.Global("region_body", body, loc), function, loc))
    block.append(ir.Assign(ir.Global("enter_region", enter_region, loc), enter, loc))
    block.append(ir.Assign(ir.Expr.build_tuple(read, loc), values, loc))
    if crew is None:
        block.append(ir.Assign(ir.Const(0, loc), none, loc))
        crew = none
    block.append(ir.Assign(ir.Expr.call(enter, [function, count, values, crew], (), loc), done, loc))
    block.append(ir.Jump(after, loc))


def _hands_on(statement: Any, name: str) -> bool:
    """Whether a statement gives what `name` stands for to another name."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    return isinstance(value, ir.Var) and value.name == name
