"""Arrays that stay distributed between calls: every rank has the whole shape, and holds some of the rows.

In: the buffer of an array with who holds which rows of it (`session.Shared`). Out: an object that a program uses as it
uses a NumPy array. Methods take it as it is, and fetch what their phases lack. Whoever looks at elements from outside
gets them by an exchange in which all ranks take part; shape and dtype are there without one.

Views that a program has taken are windows: as long as one is there, the rows that it shows are current on all ranks
whenever a call ends. So they show what they would show in one process.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from somd.errors import SomdRuntimeError
from somd.runtime.mpi import launched
from somd.runtime.mpi.addresses import reserved
from somd.runtime.mpi.agreement import begun
from somd.runtime.mpi.ledger import RESULT
from somd.runtime.mpi.session import Shared, address_of
from somd.runtime.mpi.windows import rows_of_key

Array = np.ndarray[Any, Any]
Values = tuple[Any, ...]
#: views after which those are forgotten that are gone
_MANY = 16
#: what NumPy does with the shape of arrays alone
_OF_SHAPES: dict[Any, Callable[[Any], Any]] = {
    np.shape: lambda array: array.shape,
    np.ndim: lambda array: array.ndim,
    np.size: lambda array: array.size,
}
#: the distributed arrays of this process, by the addresses of their buffers
_known: weakref.WeakValueDictionary[int, DistributedArray] = weakref.WeakValueDictionary()


class _Rows(np.ndarray[Any, Any]):
    """What a view that a program has keeps alive."""

    owner: DistributedArray


class DistributedArray(NDArrayOperatorsMixin):
    """An array of which each rank holds some rows; to a program it is a NumPy array.

    Its functions, operators and methods have NumPy's results, on all ranks alike, and gather what they read. All ranks
    have to come to them.
    """

    __slots__ = ("__weakref__", "_windows", "shared")

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        #: the views that a program may have, each with the rows from one up to another
        self._windows: list[tuple[weakref.ref[Array], int, int]] = []
        _known[address_of(shared.array)] = self

    # --- what every rank knows ---------------------------------------------------------------------------------------

    #: what the rest of the package knows it by
    somd_distributed = True
    #: what `isinstance(x, np.ndarray)` asks for; C code does not, and goes by `__array__`
    __class__: Any = property(lambda self: np.ndarray)

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.shared.array.shape
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        found: np.dtype[Any] = self.shared.array.dtype
        return found

    @property
    def ndim(self) -> int:
        return self.shared.array.ndim

    @property
    def size(self) -> int:
        return self.shared.array.size

    @property
    def itemsize(self) -> int:
        return self.shared.array.itemsize

    @property
    def nbytes(self) -> int:
        return self.shared.array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        return self.shared.array.strides

    def __len__(self) -> int:
        return len(self.shared.array)

    # --- elements ----------------------------------------------------------------------------------------------------

    def rows(self, low: int, high: int) -> Array:
        """A view of rows [low, high), which all ranks get; all of them have to ask.

        Raises:
            SomdRuntimeError: this thread or process is no rank, so it cannot ask (SOMD613); other ranks do something
                else (SOMD611), or one has left (SOMD612).
        """
        if not self.shared.current(low, high):
            world = launched.world()
            if world is None:
                raise elsewhere(self)
            text = f"gather({self.dtype}{list(self.shape)}, rows {low} to {high - 1})"
            session, _ = begun(world, "gather", f"`{text}`")
            session.given(self.shared)
            session.rows(address_of(self.shared.array), low, high, RESULT)
        shown: Any = self.shared.array[low:high].view(_Rows)
        shown.owner = self
        view = np.asarray(memoryview(shown))  # views of it hold it, because its base is no array of its class
        if len(self._windows) > _MANY:
            self.window()
        self._windows.append((weakref.ref(view), low, high))
        return view

    def whole(self) -> Array:
        """A view of all rows; as `rows`."""
        return self.rows(0, len(self))

    def window(self) -> tuple[int, int]:
        """The rows from one up to another in which those lie that a program has views of."""
        self._windows = [each for each in self._windows if each[0]() is not None]
        if not self._windows:
            return 0, 0
        return min(low for _, low, _ in self._windows), max(high for _, _, high in self._windows)

    def __getitem__(self, key: Any) -> Any:
        low, high, inner = rows_of_key(_plain(key), len(self))
        return self.rows(low, high)[inner]

    def __setitem__(self, key: Any, value: Any) -> None:
        low, high, inner = rows_of_key(_plain(key), len(self))
        self.rows(low, high)[inner] = _plain(value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole())

    def __contains__(self, value: Any) -> bool:
        return _plain(value) in self.whole()

    def __bool__(self) -> bool:
        return bool(self.whole())

    def __int__(self) -> int:
        return int(self.whole())

    def __float__(self) -> float:
        return float(self.whole())

    def __complex__(self) -> complex:
        return complex(self.whole())

    def __index__(self) -> int:
        return self.whole().__index__()

    def __bytes__(self) -> bytes:
        return self.whole().tobytes()

    def __buffer__(self, flags: int) -> memoryview:
        """What Python asks from 3.12 on; before that, who wants memory is told that there is none."""
        whole: Any = self.whole()
        return memoryview(whole)

    def __repr__(self) -> str:
        return np.array_repr(self._shown())

    def __str__(self) -> str:
        return np.array_str(self._shown())

    def __format__(self, how: str) -> str:
        return format(str(self), how) if not how else format(self.whole(), how)

    def _shown(self) -> Array:
        """The array, of which those rows are current that NumPy prints."""
        options = np.get_printoptions()
        edge = int(options["edgeitems"])
        if self.size <= options["threshold"] or len(self) <= 2 * edge:
            return self.whole()
        self.rows(0, edge)
        self.rows(len(self) - edge, len(self))
        return self.shared.array

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def copy(self, order: Any = "C") -> Any:
        """As NumPy's; a copy in C order is distributed in the same way, and nothing is sent."""
        if order != "C":
            return self.whole().copy(order)
        return DistributedArray(self.shared.copied_to(reserved(self.shape, self.dtype)))

    def __reduce__(self) -> Any:
        return np.array, (np.array(self.whole()),)

    # --- what NumPy asks ---------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        whole = self.whole()
        if dtype is None or np.dtype(dtype) == whole.dtype:
            return whole.copy() if copy else whole
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return whole.astype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.get("out", ())
        found = getattr(ufunc, method)(*map(_plain, inputs), **{name: _plain(each) for name, each in options.items()})
        if len(out) == 1:
            return out[0]
        return tuple(out) if len(out) > 1 and all(each is not None for each in out) else found

    def __array_function__(self, function: Any, types: Any, args: Values, options: dict[str, Any]) -> Any:
        of_shape = _OF_SHAPES.get(function)
        if of_shape is not None and len(args) == 1 and not options:
            return of_shape(args[0])
        found = function(*map(_plain, args), **{name: _plain(each) for name, each in options.items()})
        out = options.get("out")
        return out if type(out) is DistributedArray else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return getattr(self.whole(), name)


def _plain(value: Any) -> Any:
    """A value with NumPy's arrays in place of distributed ones."""
    kind = type(value)
    if kind is DistributedArray:
        return value.whole()
    if kind is dict:
        return {name: _plain(each) for name, each in value.items()}
    return kind(map(_plain, value)) if kind in (list, tuple) else value


def elsewhere(array: DistributedArray) -> SomdRuntimeError:
    """What is raised where rows are needed that only other ranks have."""
    what = f"rows of an array {array.dtype}{list(array.shape)} are on other ranks"
    return SomdRuntimeError(
        f"{what}, and they are exchanged by the main thread alone: call `somd.gather` of it there, before", "SOMD613"
    )


def known_at(array: Array) -> DistributedArray | None:
    """The distributed array of which this is the buffer."""
    found = _known.get(address_of(array)) if array.size else None
    if found is None or found.dtype != array.dtype or not same_elements(found.shared.array, array):
        return None
    return found


def same_elements(first: Array, second: Array) -> bool:
    """Whether two arrays that begin at one address have all elements at the same places."""
    return first.shape == second.shape and first.strides == second.strides and first.itemsize == second.itemsize


def buffers(values: Values, by_rows: bool) -> Values:
    """Values with the buffers of distributed arrays in place of these; where methods do not know who holds which rows,
    all ranks get all of them first."""
    if not any(type(value) is DistributedArray for value in values):
        return values
    return tuple(
        (value.shared.array if by_rows else value.whole()) if type(value) is DistributedArray else value
        for value in values
    )
