"""The passes for Numba on the cores of one machine, in their order."""

from __future__ import annotations

from functools import partial

from somd.transforms.passes import Pass
from somd.transforms.passes.alignment import alignment
from somd.transforms.passes.precompute import precompute
from somd.transforms.passes.strip_mining import strip_mining

#: bytes that the scalars of a strip may take: well inside the first cache
ROOM = 1 << 14
#: the fewest and the most iterations in a strip
LANES = (64, 1024)

SCHEDULE: tuple[Pass, ...] = (precompute, partial(strip_mining, room=ROOM, lanes=LANES), alignment)
