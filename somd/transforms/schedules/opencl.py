"""The passes for OpenCL devices, in their order."""

from __future__ import annotations

from functools import partial

from somd.transforms.passes import Pass
from somd.transforms.passes.bit_widths import bit_widths
from somd.transforms.passes.common_subexpressions import common_subexpressions
from somd.transforms.passes.index_set_splitting import index_set_splitting
from somd.transforms.passes.packing import packing
from somd.transforms.passes.precompute import precompute
from somd.transforms.passes.register_accumulation import register_accumulation
from somd.transforms.passes.value_ranges import value_ranges

#: bits of the integers that devices multiply and divide at once; of 64 they make several of these
WORD = 32
#: the rows of a tile whose sums stay in registers, and the bytes of a row of them: for each of 256 work-items 8 by 8
#: doubles, or 8 by 16 singles
TILE_ROWS = 128
TILE_WIDTH = 1024

SCHEDULE: tuple[Pass, ...] = (
    partial(precompute, once=True),
    common_subexpressions,
    index_set_splitting,
    register_accumulation,
    partial(packing, rows=TILE_ROWS, width=TILE_WIDTH),
    value_ranges,
    partial(bit_widths, word=WORD),
)
