"""Sine and cosine of all lanes of a strip, in a loop that LLVM vectorises: it does not where rare angles are seen to.

Each element becomes what `elementary.sin` and `elementary.cos` make of it.
"""

from __future__ import annotations

from typing import Any

from somd.elementary.circular import NEAR, cos, cos_near, sin, sin_near
from somd.runtime.multicore.elementary import offer
from somd.runtime.multicore.numba_internals.native import native

offer(sin_near)
offer(cos_near)


@native
def any_far(lanes: Any, count: int) -> bool:
    """Whether some angle is great, infinite or nan."""
    far = False
    for lane in range(count):
        far |= not abs(lanes[lane]) <= NEAR
    return far


@native
def lane_sin(lanes: Any, count: int) -> None:
    """Put the sines of the first `count` angles in their places."""
    if any_far(lanes, count):
        for lane in range(count):
            lanes[lane] = sin(lanes[lane])
    else:
        for lane in range(count):
            lanes[lane] = sin_near(lanes[lane])


@native
def lane_cos(lanes: Any, count: int) -> None:
    """Put the cosines of the first `count` angles in their places."""
    if any_far(lanes, count):
        for lane in range(count):
            lanes[lane] = cos(lanes[lane])
    else:
        for lane in range(count):
            lanes[lane] = cos_near(lanes[lane])
