"""How functions call each other, and hand on what is raised, in less code than Numba's, for the same machine code.

A function that catches nothing gives those that it calls the place where it tells its own caller what was raised, in
place of one for each call of which it takes that over; and a call is asked for what its caller wants to know alone.
What a function takes and returns is as Numba has it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from llvmlite.ir import instructions as _instructions
from numba.core import callconv as _callconv
from numba.core import cpu as _cpu

from somd.runtime.multicore.numba_internals.lowering import cgutils

callconv: Any = _callconv
cpu: Any = _cpu
instructions: Any = _instructions
ir: Any = _ir


class Builder(ir.IRBuilder):  # type: ignore[misc]
    """A builder that takes a member of a value from where it was put, if that is known."""

    #: whether the function catches nothing
    hands_on = False

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        path = [idx] if isinstance(idx, int) else list(idx)
        while path and isinstance(agg, instructions.InsertValue):
            there = list(agg.indices)
            if there == path[: len(there)]:
                agg, path = agg.value, path[len(there) :]
            elif path == there[: len(path)]:  # a part of what is asked for was put there
                break
            else:
                agg = agg.aggregate
        return super().extract_value(agg, path, name) if path else agg


class Convention(callconv.CPUCallConv):  # type: ignore[misc]
    """Numba's calling convention, with less code in functions that catch nothing."""

    def call_function(
        self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None
    ) -> tuple[Any, Any]:
        if not _hands_on(builder) or attrs is not None:
            return super().call_function(builder, callee, resty, argtys, args, attrs)  # type: ignore[no-any-return]
        kind = self.get_return_type(resty).pointee
        result = cgutils.alloca_once(builder, kind)
        if not isinstance(kind, ir.IntType | ir.FloatType | ir.DoubleType):
            builder.store(cgutils.get_null_value(kind), result)  # what is not returned must not be released
        raised = self._get_excinfo_argument(builder.function)
        given = self._get_arg_packer(argtys).as_arguments(builder, args)
        code = builder.call(callee, [result, raised, *given])
        return _Status(builder, code, raised), self.context.get_returned_value(builder, resty, builder.load(result))

    def check_try_status(self, builder: Any) -> Any:
        if not _hands_on(builder):
            return super().check_try_status(builder)
        nothing = ir.Constant(callconv.excinfo_ptr_t, ir.Undefined)
        return callconv.TryStatus(in_try=ir.Constant(ir.IntType(1), 0), excinfo=nothing)

    def return_status_propagate(self, builder: Any, status: Any) -> None:
        if not _hands_on(builder):
            super().return_status_propagate(builder, status)
            return
        if not isinstance(status, _Status):
            builder.store(status.excinfoptr, self._get_excinfo_argument(builder.function))
        builder.ret(status.code)


class Context(cpu.CPUContext):  # type: ignore[misc]
    """Numba's context with this convention."""

    @property
    def call_conv(self) -> Any:
        return Convention(self)


class _Status:
    """What a call came to; each answer is written where it is asked for."""

    def __init__(self, builder: Any, code: Any, raised: Any) -> None:
        self.code = code
        self._builder, self._raised = builder, raised

    def _is(self, test: str, code: Any) -> Any:
        return self._builder.icmp_signed(test, self.code, code)

    @property
    def is_ok(self) -> Any:
        """A value or none was returned."""
        return self._builder.or_(self._is("==", callconv.RETCODE_OK), self.is_none)

    @property
    def is_error(self) -> Any:
        """Nothing was returned."""
        return self._builder.and_(self._is("!=", callconv.RETCODE_OK), self._is("!=", callconv.RETCODE_NONE))

    @property
    def is_none(self) -> Any:
        """None was returned."""
        return self._is("==", callconv.RETCODE_NONE)

    @property
    def is_python_exc(self) -> Any:
        """Python knows what was raised."""
        return self._is("==", callconv.RETCODE_EXC)

    @property
    def is_stop_iteration(self) -> Any:
        """There is nothing more to come."""
        return self._is("==", callconv.RETCODE_STOPIT)

    @property
    def is_user_exc(self) -> Any:
        """`excinfoptr` tells what was raised."""
        return self._is(">=", callconv.RETCODE_USEREXC)

    @property
    def excinfoptr(self) -> Any:
        """What was raised."""
        return self._builder.load(self._raised)


def _hands_on(builder: Any) -> bool:
    return isinstance(builder, Builder) and builder.hands_on
