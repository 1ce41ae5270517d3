"""Signals, Ctrl-C first of all, while a master runs.

Python notes a signal and runs its handler later, when the main thread is back in Python: a master in a long loop
around a fence would keep it waiting. So a master asks at the fences of its loops. Most times that is a look at the
clock (some nanoseconds); a few times a second Python is asked, which runs what handlers wait. What a handler raises
ends the master, at a fence: all phases before it are complete, and none after it has begun.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from llvmlite import ir as _ir
from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.numba_internals.lowering import cgutils
from somd.runtime.multicore.numba_internals.native import native

ir: Any = _ir

#: the first argument of the IndexError with which a master ends when a handler has raised; the second is its exception
INTERRUPTED = -3
#: CLOCK_MONOTONIC_COARSE on Linux, CLOCK_MONOTONIC on macOS
_CLOCK = 6
#: nanoseconds are cut into ticks of 2 ** 28, about a quarter of a second
_TICK = 28
_SLOTS = 64
_WORD, _BYTE, _INT = ir.IntType(64), ir.IntType(8), ir.IntType(32)


@intrinsic
def _raised_by_handlers(typing_context: Any) -> Any:
    """The address of the exception that a handler has raised, a reference of the caller's; 0 where none has."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = cgutils.alloca_once_value(builder, _WORD(0))
        with builder.if_then(_due(builder), likely=False):
            builder.store(_handled(context, builder), found)
        return builder.load(found)

    def nothing(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _WORD(0)

    return types.int64(), nothing if sys.platform == "win32" else generate


def _due(builder: Any) -> Any:
    """Whether this is the main thread, whose handlers they are, and it has not asked in this tick.

    The first time that a thread meets a tick it asks the system whether it is the main one; after a fork another one
    may be. Until the main thread has come here, others ask each time: they must not take its turn.
    """
    module = builder.module
    slots, main, last = (_kept(module, name, count) for name, count in (("asked", _SLOTS), ("main", 1), ("last", 1)))
    now = cgutils.alloca_once(builder, ir.ArrayType(_WORD, 2))
    clock = cgutils.get_or_insert_function(module, ir.FunctionType(_INT, [_INT, now.type]), "clock_gettime")
    ident = cgutils.get_or_insert_function(module, ir.FunctionType(_WORD, []), "PyThread_get_thread_ident")
    builder.call(clock, [_INT(_CLOCK), now])
    seconds, nanoseconds = (builder.load(builder.gep(now, [_INT(0), _INT(k)])) for k in (0, 1))
    tick = builder.or_(builder.shl(seconds, _WORD(2)), builder.lshr(nanoseconds, _WORD(_TICK)))
    me = builder.call(ident, [])
    slot = builder.gep(slots, [_INT(0), builder.and_(builder.lshr(me, _WORD(12)), _WORD(_SLOTS - 1))])
    main, last = (builder.gep(each, [_INT(0), _INT(0)]) for each in (main, last))
    known = builder.load(main)
    new = builder.icmp_unsigned("!=", builder.load(slot), tick)
    asks = builder.and_(
        builder.icmp_unsigned("!=", known, me), builder.or_(new, builder.icmp_unsigned("==", known, _WORD(0)))
    )
    with builder.if_then(asks, likely=False):
        builder.store(tick, slot)
        with builder.if_then(_is_main(builder), likely=False):
            builder.store(me, main)
    mine = builder.icmp_unsigned("==", builder.load(main), me)
    due = builder.and_(mine, builder.icmp_unsigned("!=", builder.load(last), tick))
    builder.store(builder.select(due, tick, builder.load(last)), last)
    return due


def _kept(module: Any, name: str, count: int) -> Any:
    """Words of a module, zero at first."""
    kind = ir.ArrayType(_WORD, count)
    kept = cgutils.add_global_variable(module, kind, f"somd.{name}")
    kept.linkage, kept.initializer = "internal", ir.Constant(kind, None)
    return kept


def _is_main(builder: Any) -> Any:
    """Whether the system calls this thread the main one of its process."""
    number = ir.FunctionType(_INT, [])
    names = ("gettid", "getpid") if sys.platform != "darwin" else ("pthread_main_np",)
    found = [builder.call(cgutils.get_or_insert_function(builder.module, number, name), []) for name in names]
    if len(found) == 1:
        return builder.icmp_signed("!=", found[0], _INT(0))
    return builder.icmp_signed("==", *found)


def _handled(context: Any, builder: Any) -> Any:
    """Have Python run the handlers that wait; the address of the exception that one raised, or 0."""
    pointer = _BYTE.as_pointer()
    error = [cgutils.alloca_once_value(builder, pointer(None)) for _ in range(3)]
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    check = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, []), "PyErr_CheckSignals")
    take = ir.FunctionType(ir.VoidType(), [pointer.as_pointer()] * 3)
    with builder.if_then(builder.icmp_signed("!=", builder.call(check, []), _INT(0))):
        for name in ("PyErr_Fetch", "PyErr_NormalizeException"):
            builder.call(cgutils.get_or_insert_function(builder.module, take, name), error)
        release = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [pointer]), "Py_DecRef")
        for place in (error[0], error[2]):
            builder.call(release, [builder.load(place)])
    python.gil_release(lock)
    return builder.ptrtoint(builder.load(error[1]), _WORD)


_asked: Any = _raised_by_handlers


@native
def answer_signals() -> None:
    """Let Python run the handlers of signals that have come; a master calls it at the fences of its loops.

    Raises:
        IndexError: a handler has raised; the arguments are INTERRUPTED and the address of the exception.
    """
    raised = _asked()
    if raised != 0:
        raise IndexError(INTERRUPTED, raised)


def exception_at(address: int) -> BaseException:
    """The exception of an IndexError that `answer_signals` raised; its reference is used up."""
    found = ctypes.cast(address, ctypes.py_object)
    error: BaseException = found.value
    ctypes.pythonapi.Py_DecRef(found)
    return error
