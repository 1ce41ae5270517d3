"""The passes for Numba on the cores of one machine, in their order."""

from __future__ import annotations

from somd.transforms.passes import Pass

SCHEDULE: tuple[Pass, ...] = ()
