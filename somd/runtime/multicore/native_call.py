"""A call that is like one before, checked and made in machine code: the checks that Python makes take it four times as
long as the call of a function that Numba has compiled.

In: `Same`, what has to be the same for the call to be like the one before; the master's function. Out: a function that
takes the arguments of a method and gives what the master gives, or NotImplemented where something is not the same,
before anything has been run. Python's lock is held until the master begins, so that no other thread changes what has
been looked at. It does not know why something has to be the same; that is `calls.fast_path`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import sysconfig
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import binding as _binding
from llvmlite import ir as _ir

from somd.arguments.signatures import MOST_ELEMENTS
from somd.compiling.one_at_a_time import one_at_a_time
from somd.runtime.multicore.crews import load, store
from somd.runtime.multicore.integers import code_of, of_words, operation
from somd.settings.targets import NOTHING, Same

if TYPE_CHECKING:
    from somd.runtime.multicore.numba_internals.layer import Layer

binding: Any = _binding
ir: Any = _ir
_WORD = ir.IntType(64)


def _address(of: Any) -> int:
    return ctypes.cast(of, ctypes.c_void_p).value or 0


_python: Any = ctypes.pythonapi
_GET_ITEM, _GET_VARIABLE, _GET_CELL = map(
    _address, (_python.PyDict_GetItem, _python.PyContextVar_Get, _python.PyCell_Get)
)
_LENGTH_OF_DICT, _LENGTH, _ITEM = map(_address, (_python.PyDict_Size, _python.PyTuple_Size, _python.PyTuple_GetItem))
_AS_WORD, _FROM_WORD = map(_address, (_python.PyLong_AsLongLongAndOverflow, _python.PyLong_FromUnsignedLong))
_IDENT, _RELEASE, _KEEP = map(_address, (_python.PyThread_get_thread_ident, _python.Py_DecRef, _python.Py_IncRef))
_CONCATENATE, _CALL, _FORGET = map(_address, (_python.PySequence_Concat, _python.PyObject_Call, _python.PyErr_Clear))
_ATTRIBUTES = {
    "__code__": _address(_python.PyFunction_GetCode),
    "__defaults__": _address(_python.PyFunction_GetDefaults),
    "__kwdefaults__": _address(_python.PyFunction_GetKwDefaults),
    "__annotations__": _address(_python.PyFunction_GetAnnotations),
}
_NOT_IMPLEMENTED, _INT, _ARRAY = id(NotImplemented), id(int), id(np.ndarray)

# Where the words of a table are, in bytes; rows lie elsewhere.
#: arguments: how many, and their rows: type, and of an array descriptor, dimensions, flags, bytes of an element
COUNT, ARGUMENTS, ROW = 0, 8, 40
#: how many rows of two or three words, and the rows
PAIRS, NAMES, ATTRIBUTES, CELLS = 16, 32, 48, 64
#: a context variable and its value; the working folder; the bound on small work; the number of workers
VARIABLE, VALUE, FOLDER, SMALL, WORKERS = 80, 88, 96, 104, 112
#: the master's function, and the tuple of what it takes besides the arguments
FUNCTION, EXTRA = 120, 128
#: the words of the layer, the calls that have threads of it, Python's threads, and the functions of the mask
LAYER, TAKEN, THREADS, MASK, SET_MASK = 136, 144, 152, 160, 168
#: the rows of the master's fault table, where it is, and bytes of a row
FAULTS, WIDTH = 176, 192
#: how often the folder had changed when the table was made; the calls that still ask for it
CHANGES, ASKING = 200, 208
WORDS = 27
#: NumPy's struct of an array, an object's type, in bytes
_TYPE, _DATA, _DIMENSIONS, _SHAPE, _STRIDES, _DESCRIPTOR, _FLAGS = 8, 16, 24, 32, 40, 56, 64
#: of an array's flags those that the master has been compiled for: C and F contiguous, aligned, writeable
_KEPT_FLAGS = 0x1 | 0x2 | 0x100 | 0x400
_LOW = 0xFFFFFFFF
_PATH = 4096
#: Python hands the arguments over as a tuple
_WITH_TUPLE = 1
#: room for what C functions write; with Python's lock held, one call uses it at a time
_scratch: Any = (ctypes.c_int64 * 2)()
_path: Any = ctypes.create_string_buffer(_PATH)
_SCRATCH, _PATH_TEXT = ctypes.addressof(_scratch), ctypes.addressof(_path)
#: how often Python has told that the working folder is about to change, and by which events
_changes: Any = (ctypes.c_int64 * 1)()
_WATCHING, _CHANGING = "somd.watching", b"os.chdir"
_events: Any = tuple(map(ctypes.create_string_buffer, (_CHANGING, _WATCHING.encode())))
_COUNT_OF_CHANGES, _CHANGE, _WATCH = map(ctypes.addressof, (_changes, *_events))
#: calls that ask for the folder themselves, since it is told before it changes
_SETTLING = 1000
_GET_FOLDER = _COMPARE = 0
if sys.platform != "win32":
    _GET_FOLDER, _COMPARE = _address(ctypes.CDLL(None).getcwd), _address(ctypes.CDLL(None).strcmp)


def _called(builder: Any, function: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(_WORD, [_WORD] * len(arguments))
    return builder.call(builder.inttoptr(function, kind.as_pointer()), list(arguments))


@operation(_called)
def called(function: int, *arguments: int) -> int:
    """Call a C function of words at an address."""
    raise NotImplementedError


@of_words
def _elements(array: int, most: int) -> int:
    """The number of elements of an array; -1 for more than `most`."""
    dimensions = load(array + _DIMENSIONS) & _LOW
    shape = load(array + _SHAPE)
    found = 1
    while dimensions > 0:
        length = load(shape)
        if length > most:
            return -1
        if length > 0 and found > most // length:
            return -1
        found = found * length
        shape = shape + 8
        dimensions = dimensions - 1
    return found


@of_words
def _end(array: int, upper: int) -> int:
    """The lowest address that an element of an array begins at, or with `upper` the highest."""
    dimensions = load(array + _DIMENSIONS) & _LOW
    shape = load(array + _SHAPE)
    strides = load(array + _STRIDES)
    found = load(array + _DATA)
    while dimensions > 0:
        way = max(load(shape) - 1, 0) * load(strides)
        found = found + (max(way, 0) if upper else min(way, 0))
        shape = shape + 8
        strides = strides + 8
        dimensions = dimensions - 1
    return found


@of_words
def _arguments_fit(table: int, args: int) -> int:
    """Whether arguments are of the types of those before, arrays laid out alike and of no more than 2**44 elements."""
    count = load(table + COUNT)
    if called(_LENGTH, args) != count:
        return 0
    row = load(table + ARGUMENTS)
    k = 0
    while k < count:
        value = called(_ITEM, args, k)
        kind = load(value + _TYPE)
        if kind != load(row):
            return 0
        if kind == _ARRAY:
            if load(value + _DESCRIPTOR) != load(row + 8):
                return 0
            if load(value + _DIMENSIONS) & _LOW != load(row + 16):
                return 0
            if load(value + _FLAGS) & _KEPT_FLAGS != load(row + 24):
                return 0
            if _elements(value, MOST_ELEMENTS) < 0:
                return 0
        if kind == _INT:
            called(_AS_WORD, value, _SCRATCH)
            if load(_SCRATCH) & _LOW != 0:
                return 0
        row = row + ROW
        k = k + 1
    return 1


@of_words
def _apart(table: int, args: int) -> int:
    """Whether the arrays of no pair may share memory."""
    count = load(table + PAIRS)
    pair = load(table + PAIRS + 8)
    rows = load(table + ARGUMENTS)
    while count > 0:
        one = called(_ITEM, args, load(pair))
        two = called(_ITEM, args, load(pair + 8))
        one_end = _end(one, 1) + load(rows + load(pair) * ROW + 32)
        two_end = _end(two, 1) + load(rows + load(pair + 8) * ROW + 32)
        if _end(one, 0) < two_end and _end(two, 0) < one_end:
            return 0
        pair = pair + 16
        count = count - 1
    return 1


@of_words
def _names_stand(table: int) -> int:
    """Whether names stand for what they stood for."""
    count = load(table + NAMES)
    row = load(table + NAMES + 8)
    while count > 0:
        if called(_GET_ITEM, load(row), load(row + 8)) != load(row + 16):
            return 0
        row = row + 24
        count = count - 1
    count = load(table + ATTRIBUTES)
    row = load(table + ATTRIBUTES + 8)
    while count > 0:
        if called(load(row), load(row + 8)) != load(row + 16):
            return 0
        row = row + 24
        count = count - 1
    count = load(table + CELLS)
    row = load(table + CELLS + 8)
    while count > 0:
        value = called(_GET_CELL, load(row))
        if value != 0:
            called(_RELEASE, value)
        if value != load(row + 8):
            return 0
        row = row + 16
        count = count - 1
    return 1


@of_words
def _settings_stand(table: int) -> int:
    """Whether context, working folder and the bound on small work are the same."""
    called(_GET_VARIABLE, load(table + VARIABLE), 0, _SCRATCH)
    value = load(_SCRATCH)
    if value != 0:
        called(_RELEASE, value)
    if value != load(table + VALUE):
        return 0
    if load(load(table + LAYER) + 16) != load(table + SMALL):
        return 0
    asking = load(table + ASKING)
    if asking == 0 and load(_COUNT_OF_CHANGES) == load(table + CHANGES):
        return 1
    if asking > 0:
        store(table + ASKING, asking - 1)
    if called(_GET_FOLDER, _PATH_TEXT, _PATH) == 0:
        return 0
    return called(_COMPARE, _PATH_TEXT, load(table + FOLDER)) & _LOW == 0


@of_words
def _alone(table: int) -> int:
    """Whether no other call has threads of the layer or a fault to be read, and this thread may have threads."""
    rows = load(table + FAULTS)
    row = load(table + FAULTS + 8)
    while rows > 0:
        if load(row) != 0:
            return 0
        row = row + load(table + WIDTH)
        rows = rows - 1
    if load(load(table + LAYER)) != 0:
        return 0
    if called(_LENGTH_OF_DICT, load(table + TAKEN)) != 0:
        return 0
    ident = called(_FROM_WORD, called(_IDENT))
    known = called(_GET_ITEM, load(table + THREADS), ident)
    called(_RELEASE, ident)
    return known != 0


@of_words
def _run(table: int, args: int) -> int:
    """Call the master with threads of the layer, which go back when it ends; the object that it returns, or 0."""
    layer = load(table + LAYER)
    before = called(load(table + MASK)) & _LOW
    threads = max(min(load(table + WORKERS), load(layer + 8)), 1)
    given = called(_CONCATENATE, args, load(table + EXTRA))
    if given == 0:
        return 0
    store(layer, threads)
    if before != threads:
        called(load(table + SET_MASK), threads)
    result = called(_CALL, load(table + FUNCTION), given, 0)
    if before != threads:
        called(load(table + SET_MASK), before)
    store(layer, 0)
    called(_RELEASE, given)
    return result


@of_words
def call_like_before(array: int, args: int) -> int:
    """What Python calls, with the table as an array, and the tuple of arguments."""
    table = load(array + _DATA)
    same = _arguments_fit(table, args)
    if same:
        same = _apart(table, args)
    if same:
        same = _names_stand(table)
    if same:
        same = _settings_stand(table)
    if same:
        same = _alone(table)
    if same:
        return _run(table, args)
    called(_FORGET)  # what asking has raised, as annotations may that are computed when they are asked for
    called(_KEEP, _NOT_IMPLEMENTED)
    return _NOT_IMPLEMENTED


@of_words
def _count_changes(event: int, args: int, data: int) -> int:
    """Python's hook for audits: count the events that tell of another working folder."""
    if called(_COMPARE, event, _CHANGE) & _LOW == 0:
        store(_COUNT_OF_CHANGES, load(_COUNT_OF_CHANGES) + 1)
    if called(_COMPARE, event, _WATCH) & _LOW == 0:
        store(_COUNT_OF_CHANGES, load(_COUNT_OF_CHANGES) + 1)
    return 0


class _Table(np.ndarray[Any, Any]):
    """The words of a table, with all that they point to."""

    kept: tuple[object, ...] = ()


class _Definition(ctypes.Structure):
    """C's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def supported(layer: Layer) -> bool:
    """Whether objects are laid out as the code here takes it for granted, and threads are handed out by it.

    Not where Python has no lock, and not for TBB, which must not be entered while a process forks.
    """
    plain = object.__basicsize__ == 16 and sys.maxsize > 1 << 32 and not sysconfig.get_config_var("Py_GIL_DISABLED")
    return plain and sys.platform != "win32" and layer.name != "tbb"


@functools.cache
def _definition() -> tuple[_Definition, object]:
    """The compiled code for Python, and what keeps it.

    LLVM leaves it as it is written: that takes a fifth of the time, and the code is as quick but for 60 ns.
    """
    name = "somd_call_like_before"
    with one_at_a_time():
        module = ir.Module(name)
        function = ir.Function(module, ir.FunctionType(_WORD, [_WORD, _WORD]), name)
        builder = ir.IRBuilder(function.append_basic_block())
        builder.ret(code_of(call_like_before)(builder, list(function.args)))
        hook = ir.Function(module, ir.FunctionType(_WORD, [_WORD] * 3), "somd_count_changes")
        builder = ir.IRBuilder(hook.append_basic_block())
        builder.ret(code_of(_count_changes)(builder, list(hook.args)))
        machine = binding.Target.from_default_triple().create_target_machine(opt=0, codemodel="jitdefault", jit=True)
        engine = binding.create_mcjit_compiler(binding.parse_assembly(str(module)), machine)
        engine.finalize_object()
        return _Definition(b"call_like_before", engine.get_function_address(name), _WITH_TUPLE, None), engine


@functools.cache
def _folder_is_watched() -> bool:
    """Whether changes of the working folder are counted from now on. To ask the system for it takes as long as all else
    that a call is checked for; Python tells of its own `chdir` and `fchdir`."""
    engine: Any = _definition()[1]
    _python.Py_IncRef(ctypes.py_object(engine))  # Python calls a hook until the process has ended
    _python.PySys_AddAuditHook(ctypes.c_void_p(engine.get_function_address("somd_count_changes")), None)
    before = _changes[0]
    with contextlib.suppress(Exception):  # another hook may have refused this one, and may refuse this
        sys.audit(_WATCHING)
    return bool(_changes[0] != before)


def native_call(
    function: Any,
    values: Sequence[Any],
    same: Same,
    layer: Layer,
    extra: tuple[Any, ...],
    small_work: int | None,
    faults: np.ndarray[Any, Any] | None,
) -> Callable[..., Any] | None:
    """What makes calls like one with `values` as long as `same` holds, else gives NotImplemented; None where there is
    no such thing.

    `function` is what calls the master with a tuple: the arguments and `extra`, of which the first is the number of
    workers. Whoever reads `faults`, where failures are noted, clears them; until then there is no such call.
    """
    if not supported(layer):
        return None
    kept: list[object] = [function, same, *map(type, values)]

    def rows(words: Sequence[Sequence[int]]) -> tuple[int, int]:
        made = np.array(words, np.int64).reshape(-1)
        kept.append(made)
        return len(words), int(made.ctypes.data)

    folder = os.fsencode(same.folder) + b"\0"
    kept += [folder, extra, *(value.dtype for value in values if isinstance(value, np.ndarray))]
    table = np.zeros(WORDS, np.int64).view(_Table)

    def put(place: int, *words: int) -> None:
        table[place // 8 : place // 8 + len(words)] = words

    put(COUNT, *rows([_row(value) for value in values]))
    put(PAIRS, *rows(same.pairs))
    put(NAMES, *rows([(id(names), id(name), _id(value)) for names, name, value in same.names]))
    put(ATTRIBUTES, *rows([(_ATTRIBUTES[name], id(of), _id(value)) for of, name, value in same.attributes]))
    put(CELLS, *rows([(id(cell), _id(value)) for cell, value in same.cells]))
    put(VARIABLE, *map(id, same.context))
    put(FOLDER, _address(ctypes.c_char_p(folder)))
    put(SMALL, -1 if small_work is None else small_work)
    watched = _folder_is_watched()
    put(CHANGES, _changes[0], _SETTLING if watched else 1 << 62)
    put(WORKERS, extra[0], id(function), id(extra))
    put(LAYER, *layer.addresses())
    if faults is not None:
        put(FAULTS, len(faults), int(faults.ctypes.data), faults.strides[0])
    table.kept = tuple(kept)
    make = _python.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    made: Callable[..., Any] = make(ctypes.byref(_definition()[0]), table, None)
    return made


def _id(value: object) -> int:
    return 0 if value is NOTHING else id(value)


def _row(value: Any) -> tuple[int, ...]:
    """What of an argument has to be the same."""
    if type(value) is not np.ndarray:
        return id(type(value)), 0, 0, 0, 0
    flags = value.flags.num & _KEPT_FLAGS
    return _ARRAY, id(value.dtype), value.ndim, flags, value.itemsize
