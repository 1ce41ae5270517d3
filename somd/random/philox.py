"""Philox4x32-10: 128 random bits for each 128 bits of a counter and 64 of a key.

In: counter and key, as words of 32 bits. Out: four words. It keeps no state, and is a bijection of counters for each
key. Methods call `philox` as a helper, on all targets: its words are the same whether ints wrap at 64 bits or not.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), with its number of rounds.
"""

from __future__ import annotations

WORD = 0xFFFFFFFF
#: what is multiplied by in a round, and what is added to the key after it
FACTORS = (0xD2511F53, 0xCD9E8D57)
STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10


def philox(key0: int, key1: int, count0: int, count1: int, count2: int, count3: int) -> tuple[int, int, int, int]:
    """Four words of 32 bits, from a key of two and a counter of four."""
    for _ in range(ROUNDS):
        first = count0 * FACTORS[0]
        second = count2 * FACTORS[1]
        count0 = ((second >> 32) & WORD) ^ count1 ^ key0
        count1 = second & WORD
        count2 = ((first >> 32) & WORD) ^ count3 ^ key1
        count3 = first & WORD
        key0 = (key0 + STEPS[0]) & WORD
        key1 = (key1 + STEPS[1]) & WORD
    return count0, count1, count2, count3
