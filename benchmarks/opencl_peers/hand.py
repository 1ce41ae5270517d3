"""What a comparison with kernels written by hand is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: items of most work-groups
GROUP = 256


@dataclass(frozen=True)
class Hand:
    """The program written by hand, ready to launch on a queue."""

    cl: Any
    #: kept, for some drivers let go of it with the last name
    context: Any
    queue: Any
    program: Any
    #: the same, as exact as ours: quotients and roots rounded as IEEE 754 says, no product contracted with a sum
    exact: Any

    def launch(
        self, name: str, size: tuple[int, ...], group: tuple[int, ...], *arguments: Any, exact: bool = False
    ) -> Any:
        """Launch a kernel over `size` items, rounded up; the event."""
        kernel = self.cl.Kernel(self.exact if exact else self.program, name)
        kernel.set_args(*(getattr(a, "data", a) if hasattr(a, "queue") else a for a in arguments))
        rounded = tuple(-(-n // part) * part for n, part in zip(size, group, strict=True))
        return self.cl.enqueue_nd_range_kernel(self.queue, kernel, rounded, group)


@dataclass(frozen=True)
class Case:
    """`moved`: the bytes that the kernels must read and write at least; `check`: the index of the array to compare, or
    None for the result of the call."""

    name: str
    arrays: Callable[[], Sequence[np.ndarray]]
    ours: Callable[..., Any]
    theirs: Mapping[str, Callable[..., Sequence[Any]]]
    moved: int
    check: int | None
    bitwise: bool = True
    rtol: float = 1e-10
