"""A canary for each of Numba's inner parts that the runtime builds on: what is taken for granted of it, no more.

After an update of Numba these say which of the assumptions does not hold any longer; the tests beside them say that
what is built on them works.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest
from llvmlite import ir as llvm_ir
from numba import prange, types
from numba.core import (
    analysis,
    caching,
    callconv,
    cgutils,
    codegen,
    compiler,
    compiler_machinery,
    cpu,
    ir,
    ir_utils,
    lowering,
    postproc,
    serialize,
    untyped_passes,
)
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python
from numba.core.typing import npydecl, templates
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic, lower_builtin
from numba.np import arrayobj
from numba.np.ufunc import parallel

from somd.runtime.multicore.numba_internals.lifetimes import when_asked


def takes(function: Callable[..., Any], *names: str) -> bool:
    """Whether a function has parameters of these names, in this order, before any others."""
    return [*inspect.signature(function).parameters][: len(names)] == list(names)


def function_ir(function: Callable[..., Any]) -> Any:
    return compiler.run_frontend(function)


def loops_of(function: Callable[..., Any]) -> Any:
    return analysis.compute_cfg_from_blocks(function_ir(function).blocks).loops()


def ranks(n: int) -> None:
    for rank in prange(n):
        print(rank)


# --- lowering ------------------------------------------------------------------------------------------------------


def test_cgutils() -> None:
    assert takes(cgutils.alloca_once, "builder", "ty", "size")
    assert takes(cgutils.alloca_once_value, "builder", "value")
    assert takes(cgutils.add_global_variable, "module", "ty", "name")
    assert takes(cgutils.get_or_insert_function, "module", "fnty", "name")
    assert takes(cgutils.pack_array, "builder", "values", "ty")
    assert takes(cgutils.unpack_tuple, "builder", "tup")
    assert takes(cgutils.memset, "builder", "ptr", "size", "value")
    assert takes(cgutils.is_null, "builder", "val")


def test_alloca_once_goes_to_the_entry_and_starts_as_zero() -> None:
    function = llvm_ir.Function(llvm_ir.Module(), llvm_ir.FunctionType(llvm_ir.VoidType(), []), "f")
    entry, later = (function.append_basic_block(name) for name in ("entry", "later"))
    llvm_ir.IRBuilder(entry).branch(later)
    cgutils.alloca_once(llvm_ir.IRBuilder(later), llvm_ir.IntType(64))
    assert "alloca" in str(entry)
    assert "store" in str(later) or "store" in str(entry)


def test_templates_and_lower_builtin() -> None:
    def doubled(value: int) -> int:
        return 2 * value

    class Doubled(templates.AbstractTemplate):  # type: ignore[misc]
        key = doubled

        def generic(self, args: Any, kws: Any) -> Any:
            return templates.signature(types.int64, types.int64)

    templates.infer_global(doubled, types.Function(Doubled))

    @lower_builtin(doubled, types.Any)
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.add(arguments[0], arguments[0])

    assert numba.njit(lambda n: doubled(n))(21) == 42


def test_parse_dtype() -> None:
    assert npydecl.parse_dtype(types.NumberClass(types.float32)) == types.float32
    assert npydecl.parse_dtype(types.DType(types.int16)) == types.int16
    assert npydecl.parse_dtype(types.int64) is None


def test_tuple_setitem() -> None:
    assert numba.njit(lambda t: tuple_setitem(t, 1, 9))((1, 2, 3)) == (1, 9, 3)


def test_arrays_are_populated_by_hand() -> None:
    assert takes(arrayobj.populate_array, "array", "data", "shape", "strides", "itemsize", "meminfo")

    @intrinsic
    def pair(typing_context: Any) -> Any:
        kind = types.Array(types.int64, 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size = context.get_constant(types.intp, 16)
            memory = context.nrt.meminfo_alloc_aligned(builder, size, 64)
            data = builder.bitcast(context.nrt.meminfo_data(builder, memory), llvm_ir.IntType(64).as_pointer())
            two, eight = (context.get_constant(types.intp, n) for n in (2, 8))
            array = arrayobj.make_array(kind)(context, builder)
            arrayobj.populate_array(array, data=data, shape=(two,), strides=(eight,), itemsize=eight, meminfo=memory)
            return array._getvalue()

        return kind(), generate

    @numba.njit
    def filled() -> Any:
        made = pair()
        made[0], made[1] = 3, 4
        return made

    assert filled().tolist() == [3, 4]
    assert filled().ctypes.data % 64 == 0


# --- passes over Numba's representation ----------------------------------------------------------------------------


def test_a_loop_over_prange_is_a_call_that_is_iterated() -> None:
    made = function_ir(ranks)
    (loop,) = analysis.compute_cfg_from_blocks(made.blocks).loops().values()
    (entry,) = loop.entries
    iterated = [s for s in made.blocks[entry].find_insts(ir.Assign) if getattr(s.value, "op", "") == "getiter"]
    (begin,) = iterated
    call = ir_utils.get_definition(made, begin.value.value)
    assert call.op == "call"
    assert len(call.args) == 1
    assert ir_utils.get_definition(made, call.func).value is prange
    header = made.blocks[loop.header]
    assert isinstance(header.terminator, ir.Branch)
    assert [getattr(s.value, "op", "") for s in header.find_insts(ir.Assign)].count("pair_first") == 1
    assert {loop.header} < set(loop.body)


def test_live_names_of_blocks() -> None:
    def kept(a: Any, n: int) -> Any:
        s = 0
        for k in range(n):
            s = s + a[k]
        return s

    blocks = function_ir(kept).blocks
    used = analysis.compute_use_defs(blocks)
    graph = analysis.compute_cfg_from_blocks(blocks)
    live = analysis.compute_live_map(graph, blocks, used.usemap, used.defmap)
    (loop,) = graph.loops().values()
    assert "a" in live[loop.header]


def test_a_function_is_derived_with_the_definitions_of_the_old_one() -> None:
    made = function_ir(ranks)
    derived = made.derive(made.blocks, arg_count=1, arg_names=("n",), force_non_generator=True)
    assert derived.func_id is not made.func_id
    assert derived.arg_names == ("n",)
    assert set(ir_utils.build_definitions(derived.blocks)) <= set(derived._definitions)
    derived._reset_analysis_variables()
    assert callable(derived.copy)


def test_scopes_and_blocks_are_written_by_hand() -> None:
    loc = ir.unknown_loc
    scope = ir.Scope(None, loc)
    block = ir.Block(scope, loc)
    name = scope.define("x", loc)
    assert scope.get_exact("x") is name
    assert scope.redefine("x", loc) is not name
    block.append(ir.Assign(ir.Const(1, loc), name, loc))
    block.append(ir.Return(name, loc))
    block.prepend(ir.Assign(ir.Arg("y", 0, loc), scope.define("y", loc), loc))
    assert isinstance(block.terminator, ir.Return)
    assert len(block.copy().body) == 3
    assert ir.Expr.build_tuple([name], loc).op == "build_tuple"
    assert ir.Expr.call(name, [name], (), loc).args == [name]
    assert ir.Expr.cast(name, loc).op == "cast"
    assert ir.Arg("y", 2, loc).index == 2


def test_passes_are_added_after_the_first_ones() -> None:
    seen = []

    @compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
    class Looking(compiler_machinery.FunctionPass):  # type: ignore[misc]
        _name = "somd_canary"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            seen.append([value.value for value in globals_of(state.func_ir)])
            assert isinstance(state.reload_init, list)
            postproc.PostProcessor(state.func_ir).run()
            return False

    class Compiler(compiler.Compiler):  # type: ignore[misc]
        def define_pipelines(self) -> Any:
            pipelines = super().define_pipelines()
            for pipeline in pipelines:
                pipeline.add_pass_after(Looking, untyped_passes.IRProcessing)
                pipeline.finalize()
            return pipelines

    assert numba.njit(pipeline_class=Compiler)(lambda a, b: min(a, b))(3, 2) == 2
    assert seen == [[builtins.min]]


def globals_of(func_ir: Any) -> list[Any]:
    return [
        s.value for block in func_ir.blocks.values() for s in block.find_insts(ir.Assign) if type(s.value) is ir.Global
    ]


def test_what_is_live_where_blocks_begin_is_read_by_generators_and_object_mode_alone() -> None:
    """What `lifetimes` leaves out; the rest of what `run` does it must do too."""
    readers = {
        file.name
        for file in Path(compiler.__file__).parent.glob("*.py")
        if "block_entry_vars" in file.read_text(encoding="utf-8").replace("self.block_entry_vars", "")
    }
    assert readers <= {"postproc.py", "pylowering.py", "ir.py", "analysis.py"}
    assert takes(postproc.PostProcessor.run, "self", "emit_dels", "extend_lifetimes")
    assert callable(postproc.PostProcessor._insert_var_dels)
    own, lazy = function_ir(ranks), function_ir(ranks)
    postproc.PostProcessor(own).run(emit_dels=True)
    with when_asked():
        postproc.PostProcessor(lazy).run(emit_dels=True)
    assert lazy.dump_to_string() == own.dump_to_string()
    assert {name for name in vars(own) if vars(own)[name] is not None} == {
        name for name in vars(lazy) if vars(lazy)[name] is not None
    }
    assert lazy.variable_lifetime.livemap == own.variable_lifetime.livemap
    assert lazy.generator_info is None


# --- compiling, libraries, machine code ----------------------------------------------------------------------------


def test_what_the_compiler_is_asked_for() -> None:
    assert takes(compiler.Compiler.compile_extra, "self", "func")
    assert takes(compiler.Compiler.compile_ir, "self", "func_ir")
    assert takes(compiler.compile_ir, "typingctx", "targetctx", "func_ir", "args", "return_type", "flags", "locals")
    assert "pipeline_class" in inspect.signature(compiler.compile_ir).parameters
    with global_compiler_lock:
        pass


def test_flags_that_functions_without_wrappers_need() -> None:
    flags = compiler.Flags()
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    assert flags.copy().no_cpython_wrapper


def test_libraries() -> None:
    library = cpu_target.target_context.codegen().create_library("canary")
    assert isinstance(library, codegen.JITCodeLibrary)
    for name in ("_linking_libraries", "_final_module", "_finalized", "_shared_module", "_codegen"):
        assert hasattr(library, name), name
    for name in (
        "_raise_if_finalized",
        "_ensure_finalized",
        "_finalize_dynamic_globals",
        "_optimize_functions",
        "_get_module_for_linking",
        "add_linking_library",
        "enable_object_caching",
        "get_pointer_to_function",
        "finalize",
    ):
        assert callable(getattr(library, name)), name
    assert hasattr(library._codegen, "_data_layout")
    assert callable(library._codegen.set_env)
    assert callable(library._codegen.magic_tuple)
    assert llvm.Linkage.external.name == "external"


def test_functions_take_attributes_also_with_a_value() -> None:
    function = llvm_ir.Function(llvm_ir.Module(), llvm_ir.FunctionType(llvm_ir.VoidType(), []), "f")
    llvm_ir.IRBuilder(function.append_basic_block()).ret_void()
    assert function.linkage == ""  # external
    function.attributes.add("noinline")
    set.add(function.attributes, '"prefer-vector-width"="512"')
    parsed = llvm.parse_assembly(str(function.module))
    parsed.verify()
    assert next(parsed.functions).linkage is llvm.Linkage.external
    assert 'noinline "prefer-vector-width"="512"' in str(parsed)


def test_environments_are_found_by_name() -> None:
    compiled = numba.njit(lambda n: n + 1)
    compiled(1)
    name = next(iter(compiled.overloads.values())).environment.env_name
    assert name.startswith("_ZN08NumbaEnv")
    assert lookup_environment(name) is not None
    assert lookup_environment("_ZN08NumbaEnvNobody") is None


def test_the_interface_of_a_cache() -> None:
    wanted = {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"}
    assert wanted >= set(caching._Cache.__abstractmethods__)
    assert takes(caching._Cache.load_overload, "self", "sig", "target_context")
    assert takes(caching._Cache.save_overload, "self", "sig", "data")
    assert hasattr(numba.njit(lambda: 0), "_cache")


def test_compiled_functions_are_reduced_and_rebuilt() -> None:
    assert isinstance(serialize.dumps((1, "a")), bytes)
    compiled = numba.njit(lambda n: n + 1)
    compiled(1)
    made = next(iter(compiled.overloads.values()))
    assert not made.lifted
    assert not made.library.has_dynamic_globals
    assert takes(compiler.CompileResult._rebuild, "target_context")
    assert callable(made._reduce)


def test_places_have_paths() -> None:
    assert ir.Loc(__file__, 1)._get_path().endswith("test_canaries.py")


def test_dispatchers() -> None:
    made = numba.njit(no_cfunc_wrapper=True)(lambda n: n + 1)
    for name in ("get_call_template", "add_overload", "_compile_for_args", "compile"):
        assert callable(getattr(made, name)), name
    assert isinstance(made.overloads, dict)


# --- raising from inside a region ------------------------------------------------------------------------------------


def test_the_calling_convention() -> None:
    convention = cpu_target.target_context.call_conv
    assert takes(convention._get_return_status, "builder", "code", "excinfoptr")
    assert takes(convention.return_status_propagate, "builder", "status")
    assert takes(convention.return_user_exc, "builder", "exc", "exc_args")
    assert takes(convention.call_function, "builder", "callee", "resty", "argtys", "args", "attrs")
    assert callable(convention._get_excinfo_argument)
    assert callconv.TryStatus._fields == ("in_try", "excinfo")
    assert type(cpu_target.target_context) is cpu.CPUContext
    assert isinstance(cpu.CPUContext.call_conv, property)
    assert type(convention) is callconv.CPUCallConv


def test_the_lowering_of_names() -> None:
    assert takes(lowering.Lower._find_singly_assigned_variable, "self")
    for name in ("init", "setup_function", "lower_assign", "storevar", "delvar", "alloca_lltype", "lower_block"):
        assert callable(getattr(lowering.Lower, name)), name


# --- threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["omppool", "tbbpool", "workqueue"])
def test_pools_of_threads(name: str) -> None:
    try:
        pool = importlib.import_module(f"numba.np.ufunc.{name}")
    except ImportError:
        pytest.skip(f"{name} is not there")
    for function in ("get_num_threads", "set_num_threads", "launch_threads", "parallel_for"):
        assert isinstance(getattr(pool, function), int), function


def test_the_layer_is_launched_once() -> None:
    parallel._launch_threads()
    assert parallel.threading_layer() in ("omp", "tbb", "workqueue")
    assert numba.config.NUMBA_NUM_THREADS >= 1
    assert llvm.address_of_symbol("numba_parallel_for")
    assert llvm.address_of_symbol("get_num_threads")


def test_symbols_of_ours_are_found_by_machine_code() -> None:
    word = np.array([17])
    llvm.add_symbol("somd_canary_word", word.ctypes.data)

    @intrinsic
    def read(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(cgutils.add_global_variable(builder.module, llvm_ir.IntType(64), "somd_canary_word"))

        return types.int64(), generate

    assert numba.njit(lambda: read())() == 17


def test_blocks_know_their_loops_from_the_inside_and_what_dominates_them() -> None:
    def method(n, m):
        for i in range(n):
            for k in range(m):
                if k > i:
                    n += k
        return n

    blocks = function_ir(method).blocks
    graph = analysis.compute_cfg_from_blocks(blocks)
    (deep,) = (
        label
        for label, block in blocks.items()
        for each in block.find_insts(ir.Assign)
        if isinstance(each.value, ir.Expr) and each.value.op == "inplace_binop"
    )
    inner, outer = graph.in_loops(deep)
    assert inner.body < outer.body
    ends = [last for last, _ in graph.predecessors(inner.header) if last in inner.body]
    assert inner.header in graph.dominators()[deep]
    assert any(deep not in graph.dominators()[last] for last in ends)


def test_records_of_who_owns_memory_take_a_reference() -> None:
    array = np.zeros(3)
    before = sys.getrefcount(array)
    record = _nrt_python.meminfo_new(array.__array_interface__["data"][0], array)
    assert isinstance(record, int)
    assert sys.getrefcount(array) == before + 1
    owner = _nrt_python._MemInfo(record)  # which releases it in the end, as an array in native code does
    assert owner.refcount == 1
    del owner
    assert sys.getrefcount(array) == before
