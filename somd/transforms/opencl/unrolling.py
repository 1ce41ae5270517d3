"""How many copies of an iteration stand in a kernel, so that the loads of several are under way together.

for (; at + 31 * LANES < stop; at += 32 * LANES)    `s += a[i]`: 32 copies on a GPU, each with a load made ahead
for (; at + 7 * LANES < stop; at += 8 * LANES)      `s += log(a[i])`: 8, for its work hides what loads wait for
for (; at < stop; at += LANES)                      where an iteration is long: one

Copies of long code win nothing, and a driver's compiler takes its time with each: 32 of twenty tested accesses with
quotients as indexes took NVIDIA's more than three minutes.
"""

from __future__ import annotations

#: operations in the copies of an unrolled loop altogether
MOST = 512
#: bytes that one of several loads ahead counts for at least and at most
LEAST_LOADED, MOST_LOADED = 8, 64


def unroll_lines(copies: int, body: int) -> list[str]:
    """What asks for `copies` of a body of so many operations, or for fewer of a long one, in front of a loop."""
    copies = min(copies, MOST // _power_of_2(body))
    return [f"#pragma unroll {copies}"] if copies > 1 else []


def bytes_ahead(loaded: int, body: int) -> int | None:
    """For how many bytes an iteration of so many operations counts where those of a batch are loaded ahead: two are
    taken for one of the bytes that it loads. None where it is too long to be copied."""
    least = _power_of_2(body // 2)
    return max(LEAST_LOADED, loaded, least) if least <= MOST_LOADED else None


def _power_of_2(value: int) -> int:
    """The least power of two that is no less."""
    return 1 << max(value - 1, 0).bit_length()
