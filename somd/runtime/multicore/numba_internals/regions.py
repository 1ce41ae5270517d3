"""How masters enter parallel regions.

`for rank in prange(n): body` becomes `enter_region(function of body, n, names that body reads)` (see `outlining`), and
that a call of Numba's threading layer:

- it does not wait for Python's global lock, so that a thread that runs Python does not hold up every fence;
- with one thread ranks are run in order, and no region is entered: so a master may run inside another region, beside
  another one on the `workqueue` layer, or in a forked child;
- ranks more numerous than threads are dealt out one by one, to whichever thread is free: where they are many, as costs
  differ, in order; where they are few, so that a thread that is slow or late has others do its work, each thread has
  its share first, whose elements may be in its caches, and then what others have left of theirs;
- a master with regions in a loop enters one of the layer's only once, and runs them in its crew (see `crews`);
- what a rank raises is raised in the master when all ranks have ended: that of the lowest rank which raised.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

from llvmlite import ir as _ir
from numba.core import cgutils as _cgutils
from numba.core import compiler as _compiler
from numba.core import ir_utils as _ir_utils
from numba.core import types as _types
from numba.core.datamodel import models as _models
from numba.extending import intrinsic, register_model, typeof_impl

from somd.runtime.multicore import crews
from somd.runtime.multicore.integers import declared, defined
from somd.runtime.multicore.numba_internals.layer import CREWS, layer
from somd.runtime.multicore.numba_internals.libraries import NativeLibrary
from somd.runtime.multicore.numba_internals.native import CompilerApart

ir: Any = _ir
cgutils: Any = _cgutils
compiler: Any = _compiler
ir_utils: Any = _ir_utils
models: Any = _models
types: Any = _types
unliteral: Any = _types.unliteral

_BITS = types.intp.bitwidth
_BYTE, _INT, _WORD = (ir.IntType(width) for width in (8, 32, _BITS))
_BYTES, _WORDS = _BYTE.as_pointer(), _WORD.as_pointer()
_ENTER = ir.FunctionType(ir.VoidType(), [_BYTES] * 5 + [_WORD] * 3)
#: the shares into which ranks are cut at most, and the ranks of a thread that are few
_MOST_SHARES, _FEW = 64, 4
#: members of what the threads of a region share: the number of ranks, whether they are dealt out, then into how many
#: shares they are cut, and how many of each have been taken, the lowest rank that raised, what it raised, the lock of
#: these three, and what the body reads
_RANKS, _DEALT, _SHARES, _TAKEN, _LOWEST, _CODE, _ERROR, _LOCK, _VALUES = range(9)
_HEAD = ir.LiteralStructType([_WORD, _INT, _WORD, ir.ArrayType(_WORD, _MOST_SHARES), _WORD, _INT, _BYTES, _INT])
_NOTE = "somd.note"
#: the elements that the arrays of a call must have for a crew to be worth its region
_MANY = 4096


class RegionBody:
    """The body of a `prange` loop as a function: of the rank, and of the names that it reads, in order."""

    result: Any = types.none

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
                *self._contexts, _copy(self._func_ir), args, self.result, self._flags, {}, pipeline_class=CompilerApart
            )
        return self._compiled[kinds]


def _copy(func_ir: Any) -> Any:
    """A function that Numba may rewrite as it compiles it for some types, so that those of others find it as it was:
    its statements, their definitions, and what is found to be constant in them."""
    blocks = {label: block.copy() for label, block in func_ir.blocks.items()}
    for block in blocks.values():
        block.body = [copy.copy(statement) for statement in block.body]
    made = func_ir.copy()
    made.blocks = blocks
    made._reset_analysis_variables()
    made._definitions = ir_utils.build_definitions(blocks)
    return made


class MasterBody(RegionBody):
    """All of a master as a function: of its crew (0: none), and of its arguments."""

    result = None


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
def with_crew(typing_context: Any, body: Any, values: Any) -> Any:
    """Run a master with the threads of this call for its crew, or with none if they would not pay."""
    kinds = tuple(unliteral(kind) for kind in values.types)
    compiled = body.body.compiled(kinds)
    result = compiled.signature.return_type

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        context.add_linking_libs([compiled.library])
        return _Crew(context, builder, compiled, kinds).run(cgutils.unpack_tuple(builder, arguments[1]))

    return result(body, types.Tuple(kinds)), generate


@intrinsic
def enter_region(typing_context: Any, body: Any, ranks: Any, values: Any, crew: Any) -> Any:
    """Run a body for ranks 0 to `ranks` - 1 on the threads of this call, and wait for all of them."""
    kinds = tuple(unliteral(kind) for kind in values.types)
    compiled = body.body.compiled(kinds)
    tuple_type = types.Tuple(kinds)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        context.add_linking_libs([compiled.library])
        region = _Region(context, builder, compiled, [context.get_value_type(kind) for kind in kinds])
        region.enter(arguments[1], cgutils.unpack_tuple(builder, arguments[2]), arguments[3])
        return context.get_dummy_value()

    return types.void(body, types.intp, tuple_type, types.intp), generate


class _Region:
    """One `prange` loop in the code of a master."""

    def __init__(self, context: Any, builder: Any, compiled: Any, kinds: list[Any]) -> None:
        self.context, self.builder = context, builder
        self.compiled = compiled
        values = ir.LiteralStructType(kinds)
        self.shared_type = ir.LiteralStructType([*_HEAD.elements, values])
        self.shared = cgutils.alloca_once(builder, self.shared_type)

    def enter(self, ranks: Any, values: list[Any], crew: Any) -> None:
        """The master's side: share `values`, run, and raise what a rank raised."""
        builder, shared = self.builder, self.shared
        threads = _threads(builder)
        alone = builder.icmp_signed("<=", threads, _WORD(1))
        dealt = builder.and_(builder.not_(alone), builder.icmp_signed(">", ranks, threads))
        few = builder.icmp_signed("<=", ranks, builder.mul(threads, _WORD(_FEW)))
        most = builder.icmp_signed("<", threads, _WORD(_MOST_SHARES))
        shares = builder.select(few, builder.select(most, threads, _WORD(_MOST_SHARES)), _WORD(1))
        entries = {_RANKS: ranks, _DEALT: builder.zext(dealt, _INT), _SHARES: shares, _LOCK: _INT(0), _CODE: _INT(0)}
        builder.store(ir.Constant(_HEAD.elements[_TAKEN], None), _member(builder, shared, _TAKEN))
        for number, value in {**entries, _LOWEST: _WORD((1 << _BITS - 1) - 1)}.items():
            builder.store(value, _member(builder, shared, number))
        for number, value in enumerate(values):
            builder.store(value, _member(builder, shared, _VALUES, number))
        with builder.if_then(builder.icmp_signed(">", ranks, _WORD(0))):
            self.run(ranks, threads, alone, dealt, crew)
        code = builder.load(_member(builder, shared, _CODE))
        with builder.if_then(builder.icmp_signed("!=", code, _INT(0)), likely=False):
            _raise(self.context, builder, code, builder.load(_member(builder, shared, _ERROR)))

    def run(self, ranks: Any, threads: Any, alone: Any, dealt: Any, crew: Any) -> None:
        """Call the function of a thread: once in order, or by the crew, or by the threading layer."""
        builder, function = self.builder, self.function()
        shares = crews.ranks_from(builder, _WORD(0), builder.select(dealt, threads, ranks))
        given = [*shares, builder.bitcast(self.shared, _BYTES)]
        with builder.if_else(alone) as (in_order, together):
            with in_order:
                builder.call(function, given)
            with together:
                if isinstance(crew, ir.Constant):
                    _enter_layer(builder, function, given, threads)
                else:
                    with builder.if_else(builder.icmp_signed("!=", crew, _WORD(0))) as (in_crew, by_layer):
                        with in_crew:
                            taken = builder.select(dealt, _WORD(0), ranks)
                            job = [builder.ptrtoint(value, _WORD) for value in (function, self.shared)]
                            _call_crew(self.context, builder, crews.together, [crew, *job, taken])
                        with by_layer:
                            _enter_layer(builder, function, given, threads)

    def function(self) -> Any:
        """What a thread runs: its ranks in order, no more after an error; or those that it is dealt, of its share, then
        of the shares behind it, and of the first ones. Of a share in which a rank has raised it takes no more, but goes
        on with the others: so all ranks below one that raised are run."""
        module = self.builder.module
        name = module.get_unique_name(f"{self.compiled.fndesc.llvm_func_name}.thread")
        function = ir.Function(module, crews.CALLED, name=name)
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        shared = builder.bitcast(function.args[3], self.shared_type.as_pointer())
        first = builder.sub(builder.ptrtoint(builder.load(function.args[0]), _WORD), _WORD(crews.FIRST))
        dealt = builder.icmp_signed("!=", builder.load(_member(builder, shared, _DEALT)), _INT(0))
        ranks, shares = (builder.load(_member(builder, shared, number)) for number in (_RANKS, _SHARES))
        at, seen = cgutils.alloca_once_value(builder, first), cgutils.alloca_once_value(builder, _WORD(0))
        end = cgutils.alloca_once_value(builder, builder.add(first, builder.load(function.args[1])))
        names = ("choose", "deal", "test", "run", "next", "ended")
        choose, deal, test, run, following, ended = map(function.append_basic_block, names)
        builder.branch(choose)
        builder.position_at_end(choose)
        builder.cbranch(dealt, deal, test)
        builder.position_at_end(deal)
        share = builder.srem(builder.add(first, builder.load(seen)), shares)
        begin, behind = (
            builder.sdiv(builder.mul(ranks, each), shares) for each in (share, builder.add(share, _WORD(1)))
        )
        taken = builder.gep(_member(builder, shared, _TAKEN), [_INT(0), share])
        builder.store(builder.add(begin, builder.atomic_rmw("add", taken, _WORD(1), "monotonic")), at)
        builder.store(behind, end)
        builder.branch(test)
        builder.position_at_end(test)
        rank = builder.load(at)
        builder.cbranch(builder.icmp_signed("<", rank, builder.load(end)), run, following)
        builder.position_at_end(run)
        builder.store(builder.add(rank, _WORD(1)), at)
        builder.cbranch(self.raised(builder, shared, rank), following, choose)
        builder.position_at_end(following)
        builder.store(builder.add(builder.load(seen), _WORD(1)), seen)
        left = builder.icmp_signed("<", builder.load(seen), shares)
        builder.cbranch(builder.and_(dealt, left), deal, ended)
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


class _Crew:
    """What stands around a master with a crew: it runs on the thread of the call, within a region of the layer."""

    def __init__(self, context: Any, builder: Any, compiled: Any, kinds: tuple[Any, ...]) -> None:
        self.context, self.builder = context, builder
        self.compiled, self.kinds = compiled, kinds
        described = compiled.fndesc
        self.callee = context.declare_function(builder.module, described)
        self.result = context.get_value_type(described.restype)
        values = ir.LiteralStructType([context.get_value_type(kind) for kind in kinds])
        #: the crew, whether the master raised, and what, its result and its arguments
        self.shared_type = ir.LiteralStructType([_WORD, _INT, _BYTES, self.result, values])

    def run(self, values: list[Any]) -> Any:
        """The result of the master."""
        builder, shared = self.builder, cgutils.alloca_once(self.builder, self.shared_type)
        for number, value in enumerate(values):
            builder.store(value, _member(builder, shared, 4, number))
        threads = _threads(builder)
        with builder.if_else(self.pays(threads, values)) as (together, alone):
            with together:
                self.gather(shared, threads)
            with alone:
                self.master(builder, shared, _WORD(0))
        code = builder.load(_member(builder, shared, 1))
        with builder.if_then(builder.icmp_signed("!=", code, _INT(0)), likely=False):
            _raise(self.context, builder, code, builder.load(_member(builder, shared, 2)))
        return builder.load(_member(builder, shared, 3))

    def pays(self, threads: Any, values: list[Any]) -> Any:
        """Whether the layer can have crews, and there are threads, and enough for them to do."""
        builder, elements = self.builder, _WORD(0)
        for kind, value in zip(self.kinds, values, strict=True):
            if isinstance(kind, types.Array):
                elements = builder.add(elements, self.context.make_array(kind)(self.context, builder, value).nitems)
        possible = builder.module.globals.get(CREWS) or cgutils.add_global_variable(builder.module, _WORD, CREWS)
        tests = [
            builder.icmp_signed("!=", builder.load(possible), _WORD(0)),
            builder.icmp_signed(">", threads, _WORD(1)),
            builder.icmp_signed("<=", threads, _WORD(crews.MOST)),
            builder.icmp_signed(">=", elements, _WORD(_MANY)),
        ]
        return functools.reduce(builder.and_, tests)

    def gather(self, shared: Any, threads: Any) -> None:
        """Make a crew, and enter the region in which it works."""
        builder = self.builder
        room = cgutils.alloca_once(builder, _BYTE, size=crews.BYTES + 64)
        start = builder.add(builder.ptrtoint(room, _WORD), _WORD(63))
        crew = builder.and_(start, _WORD(-64))
        cgutils.memset(builder, builder.inttoptr(crew, _BYTES), _WORD(crews.BYTES), 0)
        for place, value in ((crews.OWNER, _ident(builder)), (crews.PATIENCE, _patience(builder))):
            builder.store(value, builder.inttoptr(builder.add(crew, _WORD(place)), _WORDS))
        builder.store(crew, _member(builder, shared, 0))
        given = [*crews.ranks_from(builder, _WORD(0), threads), builder.bitcast(shared, _BYTES)]
        _enter_layer(builder, self.function(), given, threads)

    def function(self) -> Any:
        """What a thread of the region runs: the master once, if it is that of the call; otherwise it serves."""
        module = self.builder.module
        function = ir.Function(module, crews.CALLED, name=f"{self.compiled.fndesc.llvm_func_name}.crew")
        function.linkage = "internal"
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        shared = builder.bitcast(function.args[3], self.shared_type.as_pointer())
        crew = builder.load(_member(builder, shared, 0))
        owner, begun = (
            builder.inttoptr(builder.add(crew, _WORD(place)), _WORDS) for place in (crews.OWNER, crews.BEGUN)
        )
        with builder.if_else(builder.icmp_signed("==", builder.load(owner), _ident(builder))) as (mine, others):
            with mine, builder.if_then(builder.icmp_signed("==", builder.load(begun), _WORD(0))):
                builder.store(_WORD(1), begun)
                self.master(builder, shared, crew)
                _call_crew(self.context, builder, crews.dismiss, [crew])
            with others:
                rank = builder.sub(builder.ptrtoint(builder.load(function.args[0]), _WORD), _WORD(crews.FIRST))
                _call_crew(self.context, builder, crews.serve, [crew, rank])
        builder.ret_void()
        return function

    def master(self, builder: Any, shared: Any, crew: Any) -> None:
        """Run the master, and keep its result or what it raised."""
        described = self.compiled.fndesc
        values = [builder.load(_member(builder, shared, 4, number)) for number in range(len(self.kinds))]
        status, result = self.context.call_conv.call_function(
            builder, self.callee, described.restype, described.argtypes, [crew, *values], attrs=("noinline",)
        )
        code = builder.select(status.is_error, status.code, _INT(0))
        for value, number in ((code, 1), (builder.bitcast(status.excinfoptr, _BYTES), 2), (result, 3)):
            builder.store(value, _member(builder, shared, number))


def _call_crew(context: Any, builder: Any, function: Any, arguments: list[Any]) -> None:
    """Call a function of crews."""
    context.add_linking_libs([_crew_library(context.codegen())])
    builder.call(declared(function, builder.module), arguments)


@functools.cache
def _crew_library(codegen: Any) -> Any:
    """The functions of crews, which are compiled once in a process."""
    library = NativeLibrary(codegen, "somd.crews")
    library.stays = True
    module = library.create_ir_module(library.name)
    for function in (crews.together, crews.serve, crews.dismiss):
        defined(function, module)
    library.add_ir_module(module)
    library.finalize()
    return library


def _threads(builder: Any) -> Any:
    """The threads of this call."""
    counter = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, []), "get_num_threads")
    return builder.sext(builder.call(counter, []), _WORD)


def _ident(builder: Any) -> Any:
    """What tells this thread from others."""
    ident = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, []), "PyThread_get_thread_ident")
    return builder.call(ident, [])


def _patience(builder: Any) -> Any:
    """The address of the word where the patience of waiting threads is kept from call to call."""
    name = "somd.patience"
    kept = builder.module.globals.get(name)
    if kept is None:
        kept = cgutils.add_global_variable(builder.module, _WORD, name)
        kept.linkage, kept.initializer = "internal", _WORD(crews.PATIENT)
    return builder.ptrtoint(kept, _WORD)


def _enter_layer(builder: Any, function: Any, given: list[Any], threads: Any) -> None:
    """Have the threading layer call a function for all of its threads."""
    enter = cgutils.get_or_insert_function(builder.module, _ENTER, "numba_parallel_for")
    addresses = [builder.bitcast(value, _BYTES) for value in (function, *given)]
    builder.call(enter, [*addresses, _WORD(0), _WORD(1), threads])


def _raise(context: Any, builder: Any, code: Any, error: Any) -> None:
    """Raise in this function what another one has raised."""
    convention = context.call_conv
    kind = convention._get_excinfo_argument(builder.function).type.pointee
    status = convention._get_return_status(builder, code, builder.bitcast(error, kind))
    convention.return_status_propagate(builder, status)


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
