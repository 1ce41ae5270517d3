"""Relaxed reads in a kernel: every iteration of the distributed loop is an MI of its own on a device.

An element that another iteration may write is read from the snapshot: where the distance of the index says that it is
never the work-item's own, always; else after a test of the iteration that writes it.

    a[i] = a[i - 1] + a[j]   ->   a[i] = a_before[i - 1] + (another(j, i, 0, n, 1) ? a_before : a)[j]
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.opencl.c_tree import C, infix
from somd.transforms.opencl.c_types import literal
from somd.transforms.stages import Relaxed, RelaxedRead

ANOTHER = """static int python_another(long at, long own, long start, long stop, long step)
{
    if (at == own)
        return 0;
    return step > 0 ? at >= start && at < stop && (at - start) % step == 0
                    : at <= start && at > stop && (start - at) % -step == 0;
}"""


@dataclass
class RelaxedReads:
    """The relaxed reads of a kernel; `iteration` and `range` are C text for the outermost loop."""

    relaxed: Relaxed
    iteration: str = ""
    range: str = ""

    def always(self, read: RelaxedRead) -> bool:
        """Whether the element is never one that the iteration itself writes, and as it was when the block began."""
        if not self.relaxed.fresh or read.reach is None:
            return False
        return not any(read.reach[0] <= c <= read.reach[1] for c in read.writes)

    def test(self, read: RelaxedRead, index: C) -> str:
        """Whether another iteration may write the element at `index`, the place along the read's axis."""
        tests = []
        for c in read.writes:
            at = index if c == 0 else infix("-", index, literal(c, "int64"), "int64")
            tests.append(f"python_another({at.loose}, {self.iteration}, {self.range})")
        return " || ".join(tests)
