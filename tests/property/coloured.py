"""In-place updates from neighbours of the other colour: independent through steps, parities or halves."""

from __future__ import annotations

import random


def coloured(pick: random.Random, a: str) -> tuple[str, ...]:
    """The lines of such a loop over the array `a`."""
    half = f"for i in range(len({a}) // 2):"
    start = pick.choice(("1", "2"))
    return pick.choice(
        (
            (f"for i in range({start}, len({a}) - 1, 2):", f"    {a}[i] = {a}[i - 1] + {a}[i + 1]"),
            (f"for i in range(1, len({a}) - 1):", "    if i % 2 == 0:", f"        {a}[i] -= {a}[i + 1]"),
            (half, f"    {a}[2 * i] = {a}[2 * i + 1]"),
            (half, f"    {a}[i], {a}[-i - 1] = {a}[-i - 1], {a}[i]"),
            (half, f"    t = {a}[i]", f"    {a}[i] = {a}[len({a}) - 1 - i]", f"    {a}[len({a}) - 1 - i] = t"),
            (half, f"    {a}[i + len({a}) // 2] = {a}[i]"),
            (f"for i in range(1, len({a})):", f"    {a}[i] += {a}[0]"),
            (f"for i in range(len({a})):", "    if i != k and 0 <= k:", f"        {a}[i] -= {a}[k]"),
            (f"for i in range(m, len({a})):", "    if m >= 0:", f"        {a}[i] = {a}[i % (m + 1)]"),
        )
    )
