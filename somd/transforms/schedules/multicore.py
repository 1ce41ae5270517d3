"""The passes for Numba on the cores of one machine, in their order."""

from __future__ import annotations

from functools import partial

from somd.transforms.passes import Pass
from somd.transforms.passes.alignment import alignment
from somd.transforms.passes.compaction import compaction
from somd.transforms.passes.contraction import contraction
from somd.transforms.passes.expansion import expansion
from somd.transforms.passes.extremes import extremes
from somd.transforms.passes.fission import fission
from somd.transforms.passes.interchange import interchange
from somd.transforms.passes.packing import packing
from somd.transforms.passes.panel_blocking import panel_blocking
from somd.transforms.passes.places import places
from somd.transforms.passes.precompute import precompute
from somd.transforms.passes.reassociation import reassociation
from somd.transforms.passes.register_accumulation import register_accumulation
from somd.transforms.passes.register_tiling import register_tiling
from somd.transforms.passes.row_jamming import row_jamming
from somd.transforms.passes.scalar_replacement import scalar_replacement
from somd.transforms.passes.strip_mining import strip_mining
from somd.transforms.passes.time_tiling import time_tiling
from somd.transforms.passes.unroll_and_jam import unroll_and_jam
from somd.transforms.passes.vectorization import inner_vectorization, vectorization
from somd.transforms.passes.versioning import versioning

#: bytes that the scalars of a strip may take: well inside the first cache
ROOM = 1 << 14
#: the fewest and the most iterations in a strip
LANES = (64, 1024)
#: how many trips of a loop may be taken at once, how many around the lanes of a strip, which read a row of memory for
#: each of them, and the operations that these may have
TRIPS = 4
STREAMS = 8
OPERATIONS = 32
#: how many trips of a region's loop, and the operations in a tile of them
ROWS = 8
TILE = 64
#: the rows of a tile whose sums stay in registers, and the bytes of a row of them: 24 vectors of 64 bytes
TILE_ROWS = 6
TILE_WIDTH = 256
#: the rows of sums of complex numbers that go along at once: eight vectors of 32 bytes, or four of 64
VECTOR_ROWS = 4
#: the sums that go along side by side: the lanes of four vectors of doubles of 32 bytes, and of what is no vector
SUMS = 16
CHAINS = 4

#: what changes bits, for methods with `fastmath`: done to the program as it was written, so that all that is made of
#: it, for whatever number of workers, has the same
FASTMATH: tuple[Pass, ...] = (contraction, partial(reassociation, lanes=SUMS, chains=CHAINS))

SCHEDULE: tuple[Pass, ...] = (
    precompute,
    versioning,
    fission,
    partial(expansion, rows=TILE_ROWS, width=TILE_WIDTH),
    interchange,
    register_accumulation,
    places,
    extremes,
    partial(packing, rows=TILE_ROWS, width=TILE_WIDTH),
    vectorization,
    partial(row_jamming, rows=VECTOR_ROWS),
    partial(strip_mining, room=ROOM, lanes=LANES),
    partial(compaction, lanes=LANES[1]),
    partial(unroll_and_jam, trips=TRIPS, streams=STREAMS, most=OPERATIONS, shared=TILE // ROWS),
    partial(register_tiling, rows=ROWS, most=TILE, room=ROOM),
    scalar_replacement,
    alignment,
    time_tiling,
    panel_blocking,
    inner_vectorization,
)
