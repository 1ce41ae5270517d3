"""Arrays of zeros that native code makes, of the kind that `runtime.mpi.addresses` describes.

Numba counts references to the owner of an array's memory, and calls a function of ours when there is none any more.
"""

from __future__ import annotations

import mmap
from typing import Any

from llvmlite import ir
from numba import types as _types
from numba.extending import lower_builtin as _lower_builtin

from somd.runtime.mpi.addresses import FLAGS, LARGE, PAGE, SMALL
from somd.runtime.multicore.arrays import ALIGNMENT, RoomTemplate
from somd.runtime.multicore.numba_internals.lowering import cgutils, make_array, populate_array, templates

types: Any = _types
lower_builtin: Any = _lower_builtin
_WORD, _BYTES, _NUMBER = ir.IntType(64), ir.IntType(8).as_pointer(), ir.IntType(32)
#: what pages are for, as `mmap` takes it
_PROTECTION = getattr(mmap, "PROT_READ", 0) | getattr(mmap, "PROT_WRITE", 0)
#: more elements than any array has
_MOST = 1 << 44


def far_zeros(shape: Any, dtype: Any) -> Any:
    """A new array of zeros in C order; `shape` is an integer or a tuple of integers.

    Raises:
        ValueError: a length is negative.
        MemoryError: there are not so many addresses.
    """
    raise NotImplementedError


templates.infer_global(far_zeros, types.Function(RoomTemplate.of(far_zeros)))


@lower_builtin(far_zeros, types.Any, types.Any)  # type: ignore[untyped-decorator,unused-ignore]
def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    made = signature.return_type
    shape = arguments[:1] if signature.args[0] == types.intp else cgutils.unpack_tuple(builder, arguments[0])
    data_type = context.get_data_type(made.dtype)
    width = _WORD(context.get_abi_sizeof(data_type))
    strides, size = _sizes(context, builder, shape, width)
    is_large = builder.icmp_signed(">", size, _WORD(SMALL)) if FLAGS else ir.IntType(1)(0)
    with builder.if_else(is_large) as (large, small):
        with large:
            mapped = _mapped(context, builder, size)
            from_large = builder.block
        with small:
            allocated = _allocated(context, builder, size)
            from_small = builder.block
    memory, data = builder.phi(_BYTES), builder.phi(_BYTES)
    for phi, one, other in zip((memory, data), mapped, allocated, strict=True):
        phi.add_incoming(one, from_large)
        phi.add_incoming(other, from_small)
    array = make_array(made)(context, builder)
    populate_array(
        array,
        data=builder.bitcast(data, data_type.as_pointer()),
        shape=cgutils.pack_array(builder, shape, ty=_WORD),
        strides=cgutils.pack_array(builder, strides, ty=_WORD),
        itemsize=width,
        meminfo=memory,
    )
    return array._getvalue()


def _sizes(context: Any, builder: Any, shape: Any, width: Any) -> tuple[list[Any], Any]:
    """The strides of an array, and its bytes."""
    strides: list[Any] = []
    count: Any = _WORD(1)
    for length in reversed(shape):
        with builder.if_then(builder.icmp_signed("<", length, _WORD(0)), likely=False):
            context.call_conv.return_user_exc(builder, ValueError, ("negative dimensions not allowed",))
        strides.insert(0, builder.mul(count, width))
        product = builder.smul_with_overflow(count, length)
        count = builder.extract_value(product, 0)
        beyond = builder.or_(builder.extract_value(product, 1), builder.icmp_signed(">", count, _WORD(_MOST)))
        _fail(context, builder, beyond)
    return strides, builder.mul(count, width)


def _fail(context: Any, builder: Any, condition: Any) -> None:
    with builder.if_then(condition, likely=False):
        context.call_conv.return_user_exc(builder, MemoryError, ("Allocation failed (probably too large).",))


def _allocated(context: Any, builder: Any, size: Any) -> tuple[Any, Any]:
    """What owns memory, and where it is; it is filled."""
    memory = context.nrt.meminfo_alloc_aligned_unchecked(builder, size, ALIGNMENT)
    _fail(context, builder, cgutils.is_null(builder, memory))
    data = context.nrt.meminfo_data(builder, memory)
    cgutils.memset(builder, data, size, 0)
    return memory, data


def _mapped(context: Any, builder: Any, size: Any) -> tuple[Any, Any]:
    """What owns pages, and where they are: the owner has their address and size, and gives them back at its end.
    There are as many of them as `runtime.mpi.addresses.span` says."""
    kind = ir.FunctionType(_BYTES, [_BYTES, _WORD, _NUMBER, _NUMBER, _NUMBER, _WORD])
    function = cgutils.get_or_insert_function(builder.module, kind, "mmap")
    gap = builder.select(builder.icmp_signed(">=", size, _WORD(LARGE)), _WORD(LARGE), _WORD(PAGE))
    size = builder.add(size, gap)
    arguments = [_BYTES(None), size, _NUMBER(_PROTECTION), _NUMBER(FLAGS), _NUMBER(-1), _WORD(0)]
    data = builder.call(function, arguments)
    _fail(context, builder, builder.icmp_signed("==", builder.ptrtoint(data, _WORD), _WORD(-1)))
    memory = context.nrt.meminfo_alloc_dtor_unchecked(builder, _WORD(16), _unmapping(builder.module))
    _fail(context, builder, cgutils.is_null(builder, memory))
    owned = builder.bitcast(context.nrt.meminfo_data(builder, memory), _WORD.as_pointer())
    builder.store(builder.ptrtoint(data, _WORD), owned)
    builder.store(size, builder.gep(owned, [_WORD(1)]))
    return memory, data


def _unmapping(module: Any) -> Any:
    """The function that gives pages back: of Numba's kind of destructor, which takes what the owner has."""
    kind = ir.FunctionType(ir.VoidType(), [_BYTES, _WORD, _BYTES])
    function = cgutils.get_or_insert_function(module, kind, "somd_unmap")
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        builder = ir.IRBuilder(function.append_basic_block())
        owned = builder.bitcast(function.args[0], _WORD.as_pointer())
        address = builder.inttoptr(builder.load(owned), _BYTES)
        unmap = ir.FunctionType(_NUMBER, [_BYTES, _WORD])
        size = builder.load(builder.gep(owned, [_WORD(1)]))
        builder.call(cgutils.get_or_insert_function(module, unmap, "munmap"), [address, size])
        builder.ret_void()
    return function
