"""Crews: the threads of a call, which stay in one region from fence to fence.

Entering a region of the threading layer at every fence, its threads sleep while the master works between two fences
for longer than they spin; waking them takes as long as a short phase, and on a virtual machine many times that. So a
master with phases in a loop runs inside of one region, on the thread of the call, and the other threads *serve*: they
wait for the next job, which is the function of a phase (see `regions`), and take ranks of it that nobody has taken. The
master takes ranks, too, so that it waits only for those that have begun.

How long a thread spins before it sleeps is learned: it sleeps soon where spinning kept a thread that has work from the
core, and spins longer where it was woken shortly after it had gone to sleep.
"""

from __future__ import annotations

import platform
import sys
from typing import Any

from llvmlite import ir as _ir
from numba import types as _types

from somd.runtime.multicore.integers import of_words, operation
from somd.runtime.multicore.numba_internals.lowering import cgutils

ir: Any = _ir
types: Any = _types

_BYTE, _INT, _WORD = (ir.IntType(width) for width in (8, 32, types.intp.bitwidth))
_WORDS, _BYTES = _WORD.as_pointer(), _BYTE.as_pointer()
#: what runs ranks of a phase: arguments, counts, steps, data, as threading layers call it
CALLED = ir.FunctionType(ir.VoidType(), [_BYTES.as_pointer(), _WORDS, _WORDS, _BYTES])
#: the address that stands for rank 0, since layers take 0 for an array that is not there
FIRST = 1
#: the number of the system call `futex`, by processor
_FUTEX = {"x86_64": 202, "aarch64": 98}
#: whether a thread can wait for a word of memory here
SUPPORTED = sys.platform == "linux" and platform.machine() in _FUTEX and sys.maxsize > 1 << 32
_WAIT, _WAKE = 128, 129
_CLOCK = 1
#: threads that a crew may have: a rank each is a bit of a word
MOST = 62

# The words of a crew, by their places in bytes. Those that the owner writes for a job are on one cache line, so that
# whoever waits for the job has all of it at once; those that all write are on another.
#: the thread of the call, whether it has begun with the master, where the patience of waiting threads is kept, and
#: whether the master has ended
OWNER, BEGUN, PATIENCE, ENDED = 0, 8, 16, 24
#: counts jobs; whether ranks of the job may be taken; the function of the phase, its data, its ranks (0: it deals them
#: out itself)
JOB, OPEN, FUNCTION, DATA, RANKS = 64, 72, 80, 88, 96
#: a bit for each rank that is taken; threads other than the owner that are at a job
TAKEN, BUSY = 128, 136
#: threads that sleep until there is another job, and whether the owner sleeps until nobody is busy
IDLE, AWAITED = 192, 200
BYTES = 256

#: nanoseconds for which a thread spins before it sleeps: at first, and at most
PATIENT, MOST_PATIENT = 50_000, 4_000_000
#: so long a gap between two looks means that another thread had the core
GAP = 25_000
#: nanoseconds for which a thread leaves ranks to others, in whose caches their elements may be
GRACE = 2_000
#: who sleeps no longer than this had better have spun
REGRET = 1_000_000


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, _WORDS)


def _system_call(builder: Any, address: Any, kind: int, value: Any) -> Any:
    function_type = ir.FunctionType(_WORD, [_WORD], var_arg=True)
    function = cgutils.get_or_insert_function(builder.module, function_type, "syscall")
    number = _WORD(_FUTEX[platform.machine()])
    return builder.call(function, [number, address, _WORD(kind), value, _WORD(0), _WORD(0), _WORD(0)])


def _pause(builder: Any) -> Any:
    name, given = ("llvm.x86.sse2.pause", []) if platform.machine() == "x86_64" else ("llvm.aarch64.hint", [_INT(1)])
    function_type = ir.FunctionType(ir.VoidType(), [value.type for value in given])
    builder.call(builder.module.declare_intrinsic(name, fnty=function_type), given)
    return _WORD(0)


def time_now(builder: Any) -> Any:
    """Code for the nanoseconds of the monotonic clock."""
    now = cgutils.alloca_once(builder, ir.ArrayType(_WORD, 2))
    clock = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, [_INT, now.type]), "clock_gettime")
    builder.call(clock, [_INT(_CLOCK), now])
    seconds, nanoseconds = (builder.load(builder.gep(now, [_INT(0), _INT(k)])) for k in (0, 1))
    return builder.add(builder.mul(seconds, _WORD(1_000_000_000)), nanoseconds)


def _store(builder: Any, address: Any, value: Any) -> Any:
    builder.store_atomic(value, _pointer(builder, address), "seq_cst", 8)
    return value


def ranks_from(builder: Any, first: Any, count: Any) -> list[Any]:
    """The arguments, counts and steps that stand for so many ranks."""
    args, counts, steps = (cgutils.alloca_once(builder, kind) for kind in (_BYTES, _WORD, _WORD))
    builder.store(builder.inttoptr(builder.add(first, _WORD(FIRST)), _BYTES), args)
    builder.store(count, counts)
    builder.store(_WORD(1), steps)
    return [args, counts, steps]


def _run(builder: Any, function: Any, rank: Any, data: Any) -> Any:
    """Call the function of a phase for one rank."""
    called = builder.inttoptr(function, CALLED.as_pointer())
    builder.call(called, [*ranks_from(builder, rank, _WORD(1)), builder.inttoptr(data, _BYTES)])
    return _WORD(0)


@operation(lambda builder, address: builder.load_atomic(_pointer(builder, address), "seq_cst", 8))
def load(address: int) -> int:
    """The word at an address."""
    raise NotImplementedError


@operation(_store)
def store(address: int, value: int) -> int:
    """Write a word."""
    raise NotImplementedError


@operation(lambda builder, address, value: builder.atomic_rmw("add", _pointer(builder, address), value, "seq_cst"))
def add(address: int, value: int) -> int:
    """Add to a word; what it was before."""
    raise NotImplementedError


@operation(lambda builder, address, bits: builder.atomic_rmw("or", _pointer(builder, address), bits, "seq_cst"))
def unite(address: int, bits: int) -> int:
    """Set bits of a word; what it was before."""
    raise NotImplementedError


@operation(_pause)
def pause() -> int:
    """Tell the processor that this thread spins."""
    raise NotImplementedError


@operation(time_now)
def clock() -> int:
    """Nanoseconds."""
    raise NotImplementedError


@operation(lambda builder, address, value: _system_call(builder, address, _WAIT, value))
def sleep(address: int, value: int) -> int:
    """Sleep until woken, if the lower half of the word is that of `value`; it may end early."""
    raise NotImplementedError


@operation(lambda builder, address: _system_call(builder, address, _WAKE, _WORD((1 << 31) - 1)))
def wake(address: int) -> int:
    """Wake all that sleep at an address."""
    raise NotImplementedError


@operation(_run)
def run(function: int, rank: int, data: int) -> int:
    """Run one rank of a phase; any, where it deals them out itself."""
    raise NotImplementedError


@of_words
def other_than(address: int, value: int, sleepers: int, kept: int) -> int:
    """Wait until the word at an address is not `value`; what it is then. `sleepers` is where those that sleep are
    counted, `kept` where the patience is."""
    patience = load(kept)
    begun = clock()
    last = begun
    found = load(address)
    while found == value:
        pause()
        now = clock()
        if now - last > GAP:
            patience = PATIENT
            store(kept, patience)
        last = now
        if now - begun > patience:
            add(sleepers, 1)
            sleep(address, value)
            add(sleepers, -1)
            begun = clock()
            last = begun
            if begun - now < REGRET:
                patience = min(patience + (patience >> 3), MOST_PATIENT)
                store(kept, patience)
        found = load(address)
    return found


@of_words
def work(crew: int, me: int) -> int:
    """Run number `me` of the open job, then what others have not taken in good time."""
    function = load(crew + FUNCTION)
    data = load(crew + DATA)
    ranks = load(crew + RANKS)
    if ranks == 0:
        run(function, me, data)
        return 0
    every = (1 << ranks) - 1
    rank = me if me < ranks else 0
    grace = GRACE
    taken = 0
    while taken != every:
        bit = 1 << rank
        if unite(crew + TAKEN, bit) & bit == 0:
            run(function, rank, data)
        begun = clock()
        taken = load(crew + TAKEN)
        while taken != every and clock() - begun < grace:
            pause()
            taken = load(crew + TAKEN)
        grace = 0
        while taken != every and taken & (1 << rank) != 0:
            rank = rank + 1 if rank + 1 < ranks else 0
    return 0


@of_words
def together(crew: int, function: int, data: int, ranks: int) -> int:
    """Run a phase: what the owner calls. Ends when all ranks have."""
    store(crew + FUNCTION, function)
    store(crew + DATA, data)
    store(crew + RANKS, ranks)
    store(crew + TAKEN, 0)
    store(crew + OPEN, 1)
    add(crew + JOB, 1)
    if load(crew + IDLE) != 0:
        wake(crew + JOB)
    work(crew, 0)
    store(crew + OPEN, 0)
    busy = load(crew + BUSY)
    while busy != 0:
        busy = other_than(crew + BUSY, busy, crew + AWAITED, load(crew + PATIENCE))
    return 0


@of_words
def serve(crew: int, me: int) -> int:
    """Work at one job after the other until the master has ended: what the other threads run.

    A thread counts itself busy before it looks whether the job is open, and the owner closes it before it looks whether
    anybody is busy: so either the thread sees that it has come too late, or the owner waits for it.
    """
    seen = 0
    while load(crew + ENDED) == 0:
        seen = other_than(crew + JOB, seen, crew + IDLE, load(crew + PATIENCE))
        add(crew + BUSY, 1)
        if load(crew + OPEN) != 0:
            work(crew, me)
        if add(crew + BUSY, -1) == 1 and load(crew + AWAITED) != 0:
            wake(crew + BUSY)
    return 0


@of_words
def dismiss(crew: int) -> int:
    """Let all other threads end: what the owner calls when the master has ended."""
    store(crew + ENDED, 1)
    add(crew + JOB, 1)
    if load(crew + IDLE) != 0:
        wake(crew + JOB)
    return 0
