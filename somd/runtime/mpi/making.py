"""Arrays that are distributed from the beginning, and what brings them from and to rank 0 and files.

In: what NumPy's functions of these names take. Out: distributed arrays where there are several ranks, NumPy's own where
there is one process. A rank has the full shape of an array as addresses; memory it has for rows that it touches.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import format as npy

from somd.runtime.mpi import launched
from somd.runtime.mpi.addresses import SMALL, Shape, in_huge_pages, reserved
from somd.runtime.mpi.agreement import begun
from somd.runtime.mpi.distributed import Array, DistributedArray
from somd.runtime.mpi.holders import Ranges, blocks, holding
from somd.runtime.mpi.ledger import RESULT
from somd.runtime.mpi.session import Session, Shared
from somd.runtime.mpi.world import World


def zeros(shape: Shape, dtype: Any = float) -> Array:
    """A new array of zeros, distributed where there are several ranks.

    Args:
        shape: its lengths.
        dtype: the type of its elements.
    """
    world = launched.world()
    return np.zeros(shape, dtype) if world is None else _made(reserved(shape, dtype), world)


def empty(shape: Shape, dtype: Any = float) -> Array:
    """A new array, distributed where there are several ranks, of which nothing is said but shape and dtype."""
    return np.empty(shape, dtype) if launched.world() is None else zeros(shape, dtype)


def full(shape: Shape, value: Any, dtype: Any = None) -> Array:
    """A new array that has one number everywhere, distributed where there are several ranks; as `numpy.full`."""
    world = launched.world()
    if world is None or np.ndim(value) > 0:
        return np.full(shape, value, dtype)
    array = reserved(shape, np.asarray(value).dtype if dtype is None else dtype)
    if array.nbytes <= SMALL:
        return np.full(shape, value, dtype)
    cut = blocks(len(array), world.size)
    low, high = cut[world.rank]
    in_huge_pages(array, 0, low, high)
    array[low:high] = value
    return _made(array, world, cut)


def scatter(array: Any) -> Array:
    """A new array in C order with the elements that an array has on rank 0, distributed where there are several ranks.

    Args:
        array: a NumPy array, of the same shape and dtype on all ranks; what it has on others does not count.

    Raises:
        SomdRuntimeError: ranks come with different shapes (SOMD611).
    """
    given = np.asarray(array)
    world = launched.world()
    if world is None or not given.size:
        return np.array(given, order="C")
    rows = np.atleast_1d(given)
    session, _ = begun(world, "scatter", f"`scatter({given.dtype}{list(given.shape)})`")
    cut = _cut(rows, world.size)
    made = reserved(rows.shape, rows.dtype)
    source = Shared(rows if world.rank == 0 else made, world.rank, world.size)
    source.holders = (((0, len(rows)),), *((),) * (world.size - 1))
    session.move(RESULT, source.fetched(cut))
    if world.rank == 0:
        low, high = cut[0]
        made[low:high] = rows[low:high]
    return _made(made.reshape(given.shape), world, cut)


def gather(array: Any) -> Array:
    """A distributed array as a NumPy array, of which all ranks have all rows: a view, as `numpy.asarray` gives it.

    As long as the view is there, all ranks get what calls of methods change in it.

    Raises:
        SomdRuntimeError: other ranks do something else (SOMD611); or there are other ranks, and this is not the main
            thread of one (SOMD613).
    """
    return np.asarray(array)


def load(path: str | os.PathLike[str]) -> Array:
    """The array of a `.npy` file, in C order, distributed where there are several ranks: each reads some of the rows.

    Raises:
        As `numpy.load`.
    """
    world = launched.world()
    if world is None:
        return _loaded(path)
    found = np.load(path, mmap_mode="r")
    if not isinstance(found, np.ndarray) or found.nbytes <= SMALL:
        return _loaded(path)
    cut = blocks(len(found), world.size)
    array = reserved(found.shape, found.dtype)
    low, high = cut[world.rank]
    in_huge_pages(array, 0, low, high)
    array[low:high] = found[low:high]
    return _made(array, world, cut)


def save(path: str | os.PathLike[str], array: Any) -> None:
    """Write an array to a `.npy` file; where there are several ranks each writes a share of the rows.

    All ranks name the same file, and see it. The name gets the ending `.npy` if it has none, as with `numpy.save`.

    Raises:
        OSError: some rank cannot write; all ranks get it.
        SomdRuntimeError: ranks come with different arrays or names (SOMD611).
    """
    world = launched.world()
    name = os.fspath(path)
    name = name if name.endswith(".npy") else f"{name}.npy"
    if world is None:
        np.save(name, np.asarray(array))
        return
    if type(array) is DistributedArray:
        shared = array.shared
    else:
        shared = Shared(np.atleast_1d(np.asarray(array)), world.rank, world.size)
    given, shape = shared.array, np.shape(array)
    session, _ = begun(world, "save", f"`save({name!r}, {given.dtype}{list(shape)})`")
    low, high = 0, len(given)
    if given.size:
        session.given(shared)
        cut = blocks(len(given), world.size)
        session.move(RESULT, [*session.along(RESULT, shared, 0), *shared.fetched(cut)])
        low, high = cut[world.rank]
    header = _header(given.dtype, shape)
    row = given.nbytes // max(1, len(given))
    _together(session, name, lambda: _write(name, "wb", 0, header) if world.rank == 0 else None)
    _together(session, name, lambda: _write(name, "r+b", len(header) + low * row, given[low:high]))


def _loaded(path: str | os.PathLike[str]) -> Array:
    found: Array = np.load(path)
    return np.asarray(found, order="C") if isinstance(found, np.ndarray) else found


def _cut(array: Array, ranks: int) -> Ranges:
    """The rows that ranks are to have of an array: all of a small one."""
    return blocks(len(array), ranks) if array.nbytes > SMALL else ((0, len(array)),) * ranks


def _made(array: Array, world: World, cut: Ranges | None = None) -> Array:
    """An array of which ranks have these rows, or all of it; a small one is NumPy's own."""
    if array.nbytes <= SMALL:
        return array
    shared = Shared(array, world.rank, world.size, fresh=cut is None)
    if cut is not None:
        shared.holders = holding(cut)
    made: Any = DistributedArray(shared)  # which programs take for an array of NumPy's
    return made  # type: ignore[no-any-return]


def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """How a `.npy` file of elements in C order begins."""
    written = io.BytesIO()
    told = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(written, told)
    return written.getvalue()


def _write(name: str, mode: str, at: int, content: bytes | Array) -> None:
    with open(name, mode) as file:
        file.seek(at)
        file.write(content if isinstance(content, bytes) else np.ascontiguousarray(content).data)


def _together(session: Session, name: str, work: Callable[[], None]) -> None:
    """Have all ranks do something to a file, after which they know that all have.

    Raises:
        OSError: of one of them.
    """
    number = 0
    try:
        work()
    except OSError as error:
        number = error.errno or -1
    found = session.alike(RESULT, np.array([number], np.int64).view(np.uint8)).view(np.int64)
    if found.any():
        failed = int(found[found != 0][0])
        raise OSError(failed, os.strerror(failed) if failed > 0 else "it cannot be written", name)
