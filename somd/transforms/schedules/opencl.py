"""The passes for OpenCL devices, in their order."""

from __future__ import annotations

from functools import partial

from somd.transforms.passes import Pass
from somd.transforms.passes.bit_widths import bit_widths
from somd.transforms.passes.common_subexpressions import common_subexpressions
from somd.transforms.passes.precompute import precompute
from somd.transforms.passes.register_accumulation import register_accumulation
from somd.transforms.passes.value_ranges import value_ranges

#: bits of the integers that devices multiply and divide at once; of 64 they make several of these
WORD = 32

SCHEDULE: tuple[Pass, ...] = (
    partial(precompute, once=True),
    common_subexpressions,
    register_accumulation,
    value_ranges,
    partial(bit_widths, word=WORD),
)
