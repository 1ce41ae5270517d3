"""How masters enter parallel regions.

`for rank in prange(n): body` becomes `enter_region(function of body, n, names that body reads)` (see `outlining`), and
that a call of Numba's threading layer:

- it does not wait for Python's global lock, so that a thread that runs Python does not hold up every fence;
- with one thread ranks are run in order, and no region is entered: so a master may run inside another region, beside
  another one on the `workqueue` layer, or in a forked child;
- ranks more numerous than threads are dealt out one by one, to whichever thread is free;
- what a rank raises is raised in the master when all ranks have ended: that of the lowest rank which raised.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba.core import cgutils as _cgutils
from numba.core import compiler as _compiler
from numba.core import types as _types
from numba.core.datamodel import models as _models
from numba.extending import intrinsic, register_model, typeof_impl

from somd.runtime.multicore.layer import layer
from somd.runtime.multicore.native import NativeCompiler

ir: Any = _ir
cgutils: Any = _cgutils
compiler: Any = _compiler
models: Any = _models
types: Any = _types
unliteral: Any = _types.unliteral

_BITS = types.intp.bitwidth
_BYTE, _INT, _WORD = (ir.IntType(width) for width in (8, 32, _BITS))
_BYTES, _WORDS = _BYTE.as_pointer(), _WORD.as_pointer()
#: what the threading layer calls: arguments, counts, steps, data
_CALLED = ir.FunctionType(ir.VoidType(), [_BYTES.as_pointer(), _WORDS, _WORDS, _BYTES])
_ENTER = ir.FunctionType(ir.VoidType(), [_BYTES] * 5 + [_WORD] * 3)
#: the address that stands for rank 0, since layers take 0 for an array that is not there
_FIRST = 1
#: members of what the threads of a region share: the number of ranks, whether they are dealt out and the next of them
#: then, the lowest rank that raised, what it raised, the lock of these three, and what the body reads
_RANKS, _DEALT, _NEXT, _LOWEST, _CODE, _ERROR, _LOCK, _VALUES = range(8)
_HEAD = ir.LiteralStructType([_WORD, _INT, _WORD, _WORD, _INT, _BYTES, _INT])
_NOTE = "somd.note"


class RegionBody:
    """The body of a `prange` loop as a function: of the rank, and of the names that it reads, in order."""

    def __init__(self, func_ir: Any, state: Any) -> None:
        self._func_ir = func_ir
        self._contexts = state.typingctx, state.targetctx
        self._flags = state.flags.copy()
        self._flags.no_cpython_wrapper = True
        self._flags.no_cfunc_wrapper = True
        self._compiled: dict[tuple[Any, ...], Any] = {}

    def compiled(self, kinds: tuple[Any, ...]) -> Any:
        """What Numba makes of the body for values of these types."""
        if kinds not in self._compiled:
            args = (types.intp, *kinds)
            self._compiled[kinds] = compiler.compile_ir(
                *self._contexts, self._func_ir.copy(), args, types.none, self._flags, {}, pipeline_class=NativeCompiler
            )
        return self._compiled[kinds]


class RegionBodyType(types.Dummy):  # type: ignore[misc]
    """The type of one `RegionBody`, which has no value at run time."""

    def __init__(self, body: RegionBody) -> None:
        self.body = body
        super().__init__(name=f"RegionBody({id(body)})")


register_model(RegionBodyType)(models.OpaqueModel)


@typeof_impl.register(RegionBody)  # type: ignore[untyped-decorator,unused-ignore]
def _typeof_body(body: RegionBody, context: Any) -> Any:
    return RegionBodyType(body)


def load_layer() -> None:
    """Have the threading layer's functions known to the machine code of masters."""
    layer()


@intrinsic
def enter_region(typing_context: Any, body: Any, ranks: Any, values: Any) -> Any:
    """Run a body for ranks 0 to `ranks` - 1 on the threads of this call, and wait for all of them."""
    kinds = tuple(unliteral(kind) for kind in values.types)
    compiled = body.body.compiled(kinds)
    tuple_type = types.Tuple(kinds)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        context.add_linking_libs([compiled.library])
        region = _Region(context, builder, compiled, [context.get_value_type(kind) for kind in kinds])
        region.enter(arguments[1], cgutils.unpack_tuple(builder, arguments[2]))
        return context.get_dummy_value()

    return types.void(body, types.intp, tuple_type), generate


class _Region:
    """One `prange` loop in the code of a master."""

    def __init__(self, context: Any, builder: Any, compiled: Any, kinds: list[Any]) -> None:
        self.context, self.builder = context, builder
        self.compiled = compiled
        values = ir.LiteralStructType(kinds)
        self.shared_type = ir.LiteralStructType([*_HEAD.elements, values])
        self.shared = cgutils.alloca_once(builder, self.shared_type)

    def enter(self, ranks: Any, values: list[Any]) -> None:
        """The master's side: share `values`, run, and raise what a rank raised."""
        builder, shared = self.builder, self.shared
        counter = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, []), "get_num_threads")
        threads = builder.sext(builder.call(counter, []), _WORD)
        alone = builder.icmp_signed("<=", threads, _WORD(1))
        dealt = builder.and_(builder.not_(alone), builder.icmp_signed(">", ranks, threads))
        entries = {_RANKS: ranks, _DEALT: builder.zext(dealt, _INT), _NEXT: _WORD(0), _LOCK: _INT(0), _CODE: _INT(0)}
        for number, value in {**entries, _LOWEST: _WORD((1 << _BITS - 1) - 1)}.items():
            builder.store(value, _member(builder, shared, number))
        for number, value in enumerate(values):
            builder.store(value, _member(builder, shared, _VALUES, number))
        with builder.if_then(builder.icmp_signed(">", ranks, _WORD(0))):
            self.run(ranks, threads, alone, dealt)
        code = builder.load(_member(builder, shared, _CODE))
        with builder.if_then(builder.icmp_signed("!=", code, _INT(0)), likely=False):
            convention = self.context.call_conv
            kind = convention._get_excinfo_argument(builder.function).type.pointee
            error = builder.bitcast(builder.load(_member(builder, shared, _ERROR)), kind)
            convention.return_status_propagate(builder, convention._get_return_status(builder, code, error))

    def run(self, ranks: Any, threads: Any, alone: Any, dealt: Any) -> None:
        """Call the function of a thread: once in order, or by the threading layer."""
        builder, function = self.builder, self.function()
        args, counts, steps = (cgutils.alloca_once(builder, kind) for kind in (_BYTES, _WORD, _WORD))
        builder.store(_WORD(_FIRST).inttoptr(_BYTES), args)
        builder.store(_WORD(1), steps)
        builder.store(builder.select(dealt, threads, ranks), counts)
        given = [args, counts, steps, builder.bitcast(self.shared, _BYTES)]
        with builder.if_else(alone) as (in_order, together):
            with in_order:
                builder.call(function, given)
            with together:
                enter = cgutils.get_or_insert_function(builder.module, _ENTER, "numba_parallel_for")
                addresses = [builder.bitcast(value, _BYTES) for value in (function, *given)]
                builder.call(enter, [*addresses, _WORD(0), _WORD(1), threads])

    def function(self) -> Any:
        """What a thread runs: the ranks of its share, or the next one until none is left; no more after an error."""
        module = self.builder.module
        name = module.get_unique_name(f"{self.compiled.fndesc.llvm_func_name}.thread")
        function = ir.Function(module, _CALLED, name=name)
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        shared = builder.bitcast(function.args[3], self.shared_type.as_pointer())
        first = builder.sub(builder.ptrtoint(builder.load(function.args[0]), _WORD), _WORD(_FIRST))
        dealt = builder.icmp_signed("!=", builder.load(_member(builder, shared, _DEALT)), _INT(0))
        ranks = builder.load(_member(builder, shared, _RANKS))
        end = builder.select(dealt, ranks, builder.add(first, builder.load(function.args[1])))
        at = cgutils.alloca_once_value(builder, first)
        choose, deal, test, run, ended = map(function.append_basic_block, ("choose", "deal", "test", "run", "ended"))
        builder.branch(choose)
        builder.position_at_end(choose)
        builder.cbranch(dealt, deal, test)
        builder.position_at_end(deal)
        builder.store(builder.atomic_rmw("add", _member(builder, shared, _NEXT), _WORD(1), "monotonic"), at)
        builder.branch(test)
        builder.position_at_end(test)
        rank = builder.load(at)
        builder.cbranch(builder.icmp_signed("<", rank, end), run, ended)
        builder.position_at_end(run)
        builder.store(builder.add(rank, _WORD(1)), at)
        builder.cbranch(self.raised(builder, shared, rank), ended, choose)
        builder.position_at_end(ended)
        builder.ret_void()
        return function

    def raised(self, builder: Any, shared: Any, rank: Any) -> Any:
        """Run one rank. What it raises is noted, unless a lower one has raised. Whether it has raised."""
        described = self.compiled.fndesc
        count = len(self.shared_type.elements[_VALUES].elements)
        values = [builder.load(_member(builder, shared, _VALUES, number)) for number in range(count)]
        callee = self.context.declare_function(builder.module, described)
        status, _ = self.context.call_conv.call_function(
            builder, callee, described.restype, described.argtypes, [rank, *values]
        )
        with builder.if_then(status.is_error, likely=False):
            head = builder.bitcast(shared, _HEAD.as_pointer())
            error = builder.bitcast(status.excinfoptr, _BYTES)
            builder.call(_note(builder.module), [head, rank, status.code, error])
        return status.is_error


def _note(module: Any) -> Any:
    """The function that notes what a rank has raised, made once in a module."""
    if _NOTE in module.globals:
        return module.globals[_NOTE]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [_HEAD.as_pointer(), _WORD, _INT, _BYTES]), _NOTE)
    function.linkage = "internal"
    function.attributes.add("noinline")
    shared, rank, code, error = function.args
    entry, wait, held = map(function.append_basic_block, ("entry", "wait", "held"))
    builder = ir.IRBuilder(entry)
    builder.branch(wait)
    builder.position_at_end(wait)
    lock = _member(builder, shared, _LOCK)
    taken = builder.extract_value(builder.cmpxchg(lock, _INT(0), _INT(1), "acquire", "monotonic"), 1)
    builder.cbranch(taken, held, wait)
    builder.position_at_end(held)
    lowest = _member(builder, shared, _LOWEST)
    with builder.if_then(builder.icmp_signed("<", rank, builder.load(lowest))):
        for value, number in ((rank, _LOWEST), (code, _CODE), (error, _ERROR)):
            builder.store(value, _member(builder, shared, number))
    builder.store_atomic(_INT(0), lock, "release", 4)
    builder.ret_void()
    return function


def _member(builder: Any, shared: Any, *numbers: int) -> Any:
    return builder.gep(shared, [_INT(0), *map(_INT, numbers)])
