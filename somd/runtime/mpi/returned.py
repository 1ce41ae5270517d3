"""What becomes of arrays when a call ends that ranks have shared.

In: the session, the arguments of the call that are distributed, and what its master has returned. Out: the result for
the program. New arrays of which ranks hold some rows each stay so; NumPy's arrays that the program has given are whole
again on all ranks, and so are the windows that it has into distributed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from somd.runtime.intervals import Range
from somd.runtime.mpi.addresses import SMALL
from somd.runtime.mpi.distributed import Array, DistributedArray, known_at, same_elements
from somd.runtime.mpi.ledger import BEGIN
from somd.runtime.mpi.session import Session, Shared, address_of


class Given:
    """The arguments of a call that are distributed, with the rows of each that a program has views of."""

    def __init__(self, args: Sequence[Any]) -> None:
        self.by_address: dict[int, DistributedArray] = {}
        for array in arrays_of(args):
            known = known_at(array)
            if known is not None:
                self.by_address[address_of(array)] = known
        self.windows: list[Range] = [known.window() for known in self.by_address.values()]

    def has(self, array: Array) -> bool:
        """Whether this is the buffer of one of them."""
        return address_of(array) in self.by_address

    @property
    def watched(self) -> bool:
        """Whether a program has views of some."""
        return any(low < high for low, high in self.windows)

    def agree(self, session: Session) -> None:
        """Take the windows of all ranks for those of each: collectors of garbage have no order in common."""
        mine = np.array(self.windows, np.int64).reshape(-1)
        of_all = session.alike(BEGIN, mine.view(np.uint8)).view(np.int64).reshape(session.world.size, -1, 2)
        for k in range(len(self.windows)):
            some = of_all[of_all[:, k, 0] < of_all[:, k, 1], k]
            self.windows[k] = (int(some[:, 0].min()), int(some[:, 1].max())) if len(some) else (0, 0)

    def shown(self) -> list[tuple[Shared, Range]]:
        """The windows, each with its array."""
        return [(known.shared, window) for known, window in zip(self.by_address.values(), self.windows, strict=True)]


def arrays_of(values: Sequence[Any]) -> Iterator[Array]:
    """The arrays among values."""
    return (value for value in values if isinstance(value, np.ndarray))


def apart(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of which no two different arrays begin at one address, by which arrays go: the later one is copied.

    Two such are only read; others have been refused.
    """
    first: dict[int, Array] = {}
    found = list(args)
    for k, array in enumerate(args):
        if isinstance(array, np.ndarray) and array.size:
            other = first.setdefault(address_of(array), array)
            if not same_elements(array, other):
                found[k] = array.copy()
    return tuple(found)


def returned(session: Session, result: Any, args: Sequence[Any], given: Given, written: Sequence[Array]) -> Any:
    """The result of a call whose master has returned `result`; of its arguments it has written some.

    A list has partial results, which are whole arrays.
    """
    parts = list(result) if isinstance(result, tuple | list) else [result]
    before = {address_of(array) for array in arrays_of(args)}
    stay: dict[int, DistributedArray] = dict(given.by_address)
    for array in arrays_of(parts):
        address, shared = address_of(array), session.arrays.get(address_of(array))
        if shared is not None and address not in before and array.nbytes > SMALL and not shared.current():
            shared.array, before = array, before | {address}
            stay[address] = DistributedArray(shared)
    whole = [array for array in arrays_of(parts) if address_of(array) not in stay]
    session.whole([*written, *whole], given.shown())
    if isinstance(result, list):
        return result
    parts = [stay.get(address_of(each), each) if isinstance(each, np.ndarray) else each for each in parts]
    return tuple(parts) if isinstance(result, tuple) else parts[0]
