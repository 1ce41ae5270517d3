"""Less LLVM code for what generated functions are full of: elements of arrays, loops over `range`, operators.

In: Numba's representation of a function with its types. Out: the LLVM code that Numba would make of it, short. Numba
copies a whole array into memory to read one of its members, keeps a range, its iterator and each pair of a number and
whether there is one in memory. LLVM takes all of it out again: most of its work, and of Numba's in writing it. What is
not known here is left to Numba. For names see `named_values`, for calls `convention`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir as _ir
from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir_numba
from numba.core import typed_passes as _typed_passes
from numba.core import types as _types
from numba.np import arrayobj as _arrayobj

from somd.runtime.multicore.numba_internals.lowering import cgutils
from somd.runtime.multicore.numba_internals.named_values import NamedValues

arrayobj: Any = _arrayobj
compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
ir_numba: Any = _ir_numba
typed_passes: Any = _typed_passes
types: Any = _types

_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
#: operators that are one instruction, of words and of reals
_OPERANDS = (types.int64, types.float64, types.float32)
_PLAIN_CODE = ("add", "sub", "mul")
_QUOTIENTS = (operator.truediv, operator.itruediv)
_CODE = {operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==", operator.ne: "!="}
_CODE |= {getattr(operator, prefix + name): name for name in _PLAIN_CODE for prefix in ("", "i")}
_RANGE, _ITERATOR = types.range_state64_type, types.range_iter64_type
#: expressions that may have a shorter way; the last two are an iterator's answer
_PAIR = ("pair_first", "pair_second")
_SHORT = ("getiter", "iternext", "getattr", *_PAIR)


class ShortCode(NamedValues):
    """The lowering with shorter ways for what is known here."""

    # --- operators -----------------------------------------------------------------------------------------------

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        signature = self.fndesc.calltypes[expr]
        left, right = signature.args
        real = isinstance(left, types.Float)
        code = _CODE.get(op) if left == right and left in _OPERANDS else None
        if op in _QUOTIENTS and left == right and real and not self.context.error_model.raise_on_fp_zero_division:
            code = "div"
        if code is None:
            return super().lower_binop(resty, expr, op)
        given = (
            self.context.cast(self.builder, self.loadvar(v.name), self.typeof(v.name), left)
            for v in (expr.lhs, expr.rhs)
        )
        if code == "div" or code in _PLAIN_CODE:
            made = getattr(self.builder, ("f" if real else "") + code)(*given)
        elif not real:
            made = self.builder.icmp_signed(code, *given)
        elif code == "!=":
            made = self.builder.fcmp_unordered(code, *given)
        else:
            made = self.builder.fcmp_ordered(code, *given)
        return self.context.cast(self.builder, made, signature.return_type, resty)

    # --- elements of arrays --------------------------------------------------------------------------------------

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        kind, index_kind = signature.args
        if resty != signature.return_type or not self._element(value, kind, index_kind):
            return super().lower_getitem(resty, expr, value, index, signature)
        place = self._place(value, kind, index, index_kind)
        return arrayobj.load_item(self.context, self.builder, kind, place)

    def lower_setitem(self, target: Any, index: Any, value: Any, signature: Any) -> Any:
        kind, index_kind, value_kind = signature.args
        if not self._element(target, kind, index_kind) or not isinstance(value_kind, types.Number | types.Boolean):
            return super().lower_setitem(target, index, value, signature)
        given = self.context.cast(self.builder, self.loadvar(value.name), self.typeof(value.name), value_kind)
        given = self.context.cast(self.builder, given, value_kind, kind.dtype)
        place = self._place(target, kind, index, index_kind)
        arrayobj.store_item(self.context, self.builder, kind, given, place)
        return None

    def _element(self, array: Any, kind: Any, index: Any) -> bool:
        """Whether one element of an array of numbers is meant."""
        if type(kind) is not types.Array or self.typeof(array.name) != kind or self.context.enable_boundscheck:
            return False
        indexes = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
        number = isinstance(kind.dtype, types.Number | types.Boolean)
        whole = all(isinstance(each, types.Integer) for each in indexes)
        return number and whole and 0 < len(indexes) == kind.ndim

    def _place(self, array: Any, kind: Any, index: Any, index_kind: Any) -> Any:
        """Where an element is."""
        builder, given = self.builder, self.loadvar(index.name)
        given = self.context.cast(builder, given, self.typeof(index.name), index_kind)
        several = isinstance(index_kind, types.BaseTuple)
        indexes = [builder.extract_value(given, axis) for axis in range(kind.ndim)] if several else [given]
        kinds = tuple(index_kind) if several else (index_kind,)
        parts = _Parts(self, array.name, kind)
        shape = [parts.member("shape", axis) for axis in range(kind.ndim)]
        strides = [] if kind.layout in "CF" else [parts.member("strides", axis) for axis in range(kind.ndim)]
        fixed = [
            arrayobj.fix_integer_index(self.context, builder, *each) for each in zip(kinds, indexes, shape, strict=True)
        ]
        return cgutils.get_item_pointer2(
            self.context, builder, parts.member("data"), shape, strides, kind.layout, fixed
        )

    # --- ranges --------------------------------------------------------------------------------------------------

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        made = self._short(resty, expr)
        return super().lower_expr(resty, expr) if made is None else made

    def _short(self, resty: Any, expr: Any) -> Any:
        """The value of an expression that is known here; None for others."""
        if expr.op not in _SHORT:
            return None
        kind = self.typeof(expr.value.name)
        if expr.op == "getiter":
            return self._begun(self.loadvar(expr.value.name)) if kind == _RANGE else None
        if expr.op == "iternext":
            return self._next(_Parts(self, expr.value.name, kind)) if kind == _ITERATOR else None
        if expr.op == "getattr":
            known = expr.attr == "shape" and type(kind) is types.Array
            return _Parts(self, expr.value.name, kind).member("shape") if known else None
        known = isinstance(kind, types.Pair) and self._plain(kind)
        return self.builder.extract_value(self.loadvar(expr.value.name), _PAIR.index(expr.op)) if known else None

    def _begun(self, range_: Any) -> Any:
        """The iterator of a range that counts by one; None for others.

        It says where its next number and the count of those that are left lie. `bounded_range` has made sure that
        the stop is not before the start, nor too far away.
        """
        builder = self.builder
        start, stop, step = (builder.extract_value(range_, place) for place in range(3))
        if not isinstance(step, ir.Constant) or step.constant not in (1, -1):
            return None
        following, left = (cgutils.alloca_once(builder, _WORD, name=name) for name in ("following", "left"))
        builder.store(start, following)
        builder.store(builder.sub(stop, start) if step.constant > 0 else builder.sub(start, stop), left)
        kind = self.context.get_value_type(_ITERATOR)
        model, iterator = self.context.data_model_manager[_ITERATOR], ir.Constant(kind, ir.Undefined)
        for name, value in (("iter", following), ("stop", stop), ("step", step), ("count", left)):
            iterator = builder.insert_value(iterator, value, model.get_field_position(name))
        return iterator

    def _next(self, iterator: _Parts) -> Any:
        """The next number of a range, and whether there is one."""
        builder = self.builder
        following, left = iterator.member("iter"), iterator.member("count")
        number, count = builder.load(following), builder.load(left)
        builder.store(builder.add(number, iterator.member("step")), following)
        builder.store(builder.sub(count, _WORD(1)), left)
        there = builder.icmp_signed(">", count, _WORD(0))
        pair = ir.Constant(ir.LiteralStructType([_WORD, there.type]), ir.Undefined)
        return builder.insert_value(builder.insert_value(pair, number, 0), there, 1)


class _Parts:
    """The members of a value that a name stands for, read where it lies."""

    def __init__(self, lower: ShortCode, name: str, kind: Any) -> None:
        self._builder = lower.builder
        self._model = lower.context.data_model_manager[kind]
        local = lower._disable_sroa_like_opt or name in lower._blk_local_varmap
        self._value = lower.loadvar(name) if local else None
        self._at = None if local else lower.getvar(name)

    def member(self, name: str, *place: int) -> Any:
        """A member, or one of its entries."""
        path = (self._model.get_field_position(name), *place)
        if self._at is None:
            return self._builder.extract_value(self._value, path)
        pointer = self._builder.gep(self._at, [_INDEX(each) for each in (0, *path)], inbounds=True)
        return self._builder.load(pointer)


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class ShortLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """Numba's pass with the lowering of this file."""

    _name = "somd_short_lowering"

    @property
    def lowering_class(self) -> Any:
        return ShortCode
