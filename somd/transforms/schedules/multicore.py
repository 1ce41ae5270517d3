"""The passes for Numba on the cores of one machine, in their order."""

from __future__ import annotations

from somd.transforms.passes import Pass
from somd.transforms.passes.precompute import precompute

SCHEDULE: tuple[Pass, ...] = (precompute,)
