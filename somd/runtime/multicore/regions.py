"""How masters enter parallel regions.

Numba makes a function for each `prange` loop, and another, its kernel, that hands the former to the threading layer.
Masters are compiled with a kernel of ours, which differs in this:

- it does not wait for Python's global lock, so that a thread that runs Python does not hold up every fence;
- with one thread it calls the loop's function, and enters no region: so a master may run inside another region, beside
  another one on the `workqueue` layer, or in a forked child;
- ranks more numerous than threads are dealt out one by one, to whichever thread is free.

The kernel is part of the machine code of a master. Where Numba is not as expected its own kernel is taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba as _numba
from llvmlite import ir as _ir
from numba.core import cgutils as _cgutils
from numba.core import compiler as _compiler
from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _numba_ir
from numba.core import ir_utils as _ir_utils
from numba.core import types as _types
from numba.core import untyped_passes as _untyped_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.np.ufunc import parallel as _parallel
from numba.parfors import parfor_lowering as _lowering

ir: Any = _ir
numba: Any = _numba
numba_ir: Any = _numba_ir
ir_utils: Any = _ir_utils
compiler_machinery: Any = _compiler_machinery
untyped_passes: Any = _untyped_passes
cgutils: Any = _cgutils
compiler: Any = _compiler
types: Any = _types
parallel: Any = _parallel
lowering: Any = _lowering

_KERNEL = ["library", "ctx", "info", "sig", "inner_ndim"]
_BYTE, _WORD = ir.IntType(8), ir.IntType(types.intp.bitwidth)
_BYTES, _WORDS = _BYTE.as_pointer(), _WORD.as_pointer()
_BODY = ir.FunctionType(ir.VoidType(), [_BYTES.as_pointer(), _WORDS, _WORDS, _BYTES])
_ENTER = ir.FunctionType(ir.VoidType(), [_BYTES] * 5 + [_WORD] * 3)
#: what the threads of a region share: the next rank, the number of ranks, and the arguments of the loop's function
_DEAL = ir.LiteralStructType([_WORD, _WORD, _BYTES.as_pointer(), _WORDS, _WORDS, _BYTES])


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class SignedRanks(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """`prange(n)` becomes `prange(0, n)`, for which Numba takes signed ranks, as outside of such loops: functions of
    ranks are then compiled once, and with signed numbers beside them do not become floats."""

    _name = "somd_signed_ranks"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Rewrite the Numba IR of a master."""
        found = False
        for block in state.func_ir.blocks.values():
            for statement in list(block.find_insts(numba_ir.Assign)):
                call = statement.value
                if not (isinstance(call, numba_ir.Expr) and call.op == "call" and len(call.args) == 1):
                    continue
                callee = ir_utils.guard(ir_utils.get_definition, state.func_ir, call.func)
                if isinstance(callee, numba_ir.Global | numba_ir.FreeVar) and callee.value is numba.prange:
                    start = numba_ir.Var(block.scope, ir_utils.mk_unique_var("first_rank"), statement.loc)
                    zero = numba_ir.Assign(numba_ir.Const(0, statement.loc), start, statement.loc)
                    block.body.insert(block.body.index(statement), zero)
                    state.func_ir._definitions[start.name] = [zero.value]
                    call.args = [start, *call.args]
                    found = True
        return found


class MasterCompiler(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler, with our kernels."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(SignedRanks, untyped_passes.IRProcessing)
            pipeline.finalize()
        return pipelines

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        with global_compiler_lock, _own_kernels():
            return super().compile_extra(function)


@contextmanager
def _own_kernels() -> Iterator[None]:
    """A block in which Numba makes our kernels; to be entered with the compiler's lock held."""
    build = getattr(parallel, "build_gufunc_kernel", None)
    call = getattr(lowering, "call_parallel_gufunc", None)
    if build is None or call is None or list(inspect.signature(build).parameters) != _KERNEL:
        yield
        return

    def call_by_ranks(lowerer: Any, *args: Any, **named: Any) -> None:
        before = _set_chunk(lowerer, lowerer.context.get_constant(types.uintp, 1))
        call(lowerer, *args, **named)
        _set_chunk(lowerer, before)

    parallel.build_gufunc_kernel, lowering.call_parallel_gufunc = region_kernel, call_by_ranks
    try:
        yield
    finally:
        parallel.build_gufunc_kernel, lowering.call_parallel_gufunc = build, call


def _set_chunk(lowerer: Any, length: Any) -> Any:
    """Have Numba cut the ranks into chunks of `length`; returns what the length was before."""
    builder = lowerer.builder
    get = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, []), "get_parallel_chunksize")
    kind = ir.FunctionType(ir.VoidType(), [_WORD])
    before = builder.call(get, [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "set_parallel_chunksize"), [length])
    return before


def region_kernel(library: Any, ctx: Any, info: Any, sig: Any, inner_ndim: int) -> Any:
    """The kernel of the loop whose function `info` names, in a library of its own; see the head of this file."""
    own = ctx.codegen().create_library("somd.region")
    module = own.create_ir_module("somd.region")
    body = cgutils.get_or_insert_function(module, _BODY, info.name)
    count = len(sig.args) + (not isinstance(sig.return_type, types.NoneType))
    kernel = ir.Function(module, _BODY, name=f".kernel.{id(info.env)}_{info.name}")
    builder = ir.IRBuilder(kernel.append_basic_block(""))
    ranks = builder.load(kernel.args[1])
    counter = cgutils.get_or_insert_function(module, ir.FunctionType(_WORD, []), "get_num_threads")
    threads = builder.sext(builder.trunc(builder.call(counter, []), ir.IntType(32)), _WORD)
    with builder.if_else(builder.icmp_signed("<=", threads, _WORD(1))) as (alone, together):
        with alone:
            builder.call(body, kernel.args)
        with together, builder.if_else(builder.icmp_signed("<=", ranks, threads)) as (one_each, dealt):
            with one_each:
                _enter(builder, body, kernel.args, inner_ndim, count, threads)
            with dealt:
                _deal(builder, body, kernel.args, inner_ndim, count, threads)
    builder.ret_void()
    own.add_linking_library(info.library)
    own.add_ir_module(module)
    own.add_linking_library(library)
    return parallel._wrapper_info(library=own, name=kernel.name, env=info.env)


def _enter(builder: Any, body: Any, args: Any, inner_ndim: int, count: int, threads: Any) -> None:
    """Have the threading layer call `body` for all of its ranks, in contiguous shares."""
    enter = cgutils.get_or_insert_function(builder.module, _ENTER, "numba_parallel_for")
    given = [builder.bitcast(value, _BYTES) for value in (body, *args)]
    builder.call(enter, [*given, _WORD(inner_ndim), _WORD(count), threads])


def _deal(builder: Any, body: Any, args: Any, inner_ndim: int, count: int, threads: Any) -> None:
    """Have every thread take the next rank until none is left."""
    deal = cgutils.alloca_once(builder, _DEAL)
    ranks_at = _field(builder, deal, 1)
    builder.store(_WORD(0), _field(builder, deal, 0))
    builder.store(builder.load(args[1]), ranks_at)
    for number, value in enumerate(args):
        builder.store(value, _field(builder, deal, 2 + number))
    shape = cgutils.alloca_once(builder, _WORD, size=_WORD(inner_ndim + 1))
    for axis in range(inner_ndim + 1):
        builder.store(threads if axis == 0 else _WORD(0), builder.gep(shape, [_WORD(axis)]))
    taker = _taker(builder.module, body, inner_ndim, count)
    _enter(builder, taker, (args[0], shape, args[2], builder.bitcast(deal, _BYTES)), inner_ndim, count, threads)


def _taker(module: Any, body: Any, inner_ndim: int, count: int) -> Any:
    """The function that a thread runs: it takes ranks, and calls `body` for each."""
    taker = ir.Function(module, _BODY, name=f"{body.name}.take")
    taker.linkage = "internal"
    builder = ir.IRBuilder(taker.append_basic_block(""))
    deal = builder.bitcast(taker.args[3], _DEAL.as_pointer())
    ranks, args, dims, steps, data = (builder.load(_field(builder, deal, number)) for number in range(1, 6))
    own_args = cgutils.alloca_once(builder, _BYTES, size=_WORD(count))
    own_dims = cgutils.alloca_once(builder, _WORD, size=_WORD(inner_ndim + 1))
    builder.store(_WORD(1), own_dims)
    for axis in range(1, inner_ndim + 1):
        builder.store(builder.load(builder.gep(dims, [_WORD(axis)])), builder.gep(own_dims, [_WORD(axis)]))
    take, run, end = (taker.append_basic_block(name) for name in ("take", "run", "end"))
    builder.branch(take)
    builder.position_at_end(take)
    rank = builder.atomic_rmw("add", _field(builder, deal, 0), _WORD(1), "monotonic")
    builder.cbranch(builder.icmp_signed("<", rank, ranks), run, end)
    builder.position_at_end(run)
    for number in range(count):
        place = [_WORD(number)]
        offset = builder.mul(builder.load(builder.gep(steps, place)), rank)
        builder.store(builder.gep(builder.load(builder.gep(args, place)), [offset]), builder.gep(own_args, place))
    builder.call(body, [own_args, own_dims, steps, data])
    builder.branch(take)
    builder.position_at_end(end)
    builder.ret_void()
    return taker


def _field(builder: Any, deal: Any, number: int) -> Any:
    return builder.gep(deal, [ir.IntType(32)(0), ir.IntType(32)(number)])
