"""Crypt as others write it: the straight port to `prange`, an expert's unrolled 32-bit version, and lanes by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from benchmarks.javagrande.crypt import PRIME, ROUNDS, Texts

#: blocks that the version with lanes runs side by side
LANES = 1024

jit: Any = njit(parallel=True, error_model="numpy")
inner: Any = njit(error_model="numpy")


@jit
def _straight(source: Any, target: Any, key: Any) -> None:
    for block in prange(len(source) // 8):
        at = 8 * block
        x1 = np.int64(source[at]) | np.int64(source[at + 1]) << 8
        x2 = np.int64(source[at + 2]) | np.int64(source[at + 3]) << 8
        x3 = np.int64(source[at + 4]) | np.int64(source[at + 5]) << 8
        x4 = np.int64(source[at + 6]) | np.int64(source[at + 7]) << 8
        for k in range(0, 6 * ROUNDS, 6):
            x1 = x1 * key[k] % PRIME & 0xFFFF
            x2 = x2 + key[k + 1] & 0xFFFF
            x3 = x3 + key[k + 2] & 0xFFFF
            x4 = x4 * key[k + 3] % PRIME & 0xFFFF
            left = (x1 ^ x3) * key[k + 4] % PRIME & 0xFFFF
            right = (left + (x2 ^ x4) & 0xFFFF) * key[k + 5] % PRIME & 0xFFFF
            left = left + right & 0xFFFF
            x1 = x1 ^ right
            x4 = x4 ^ left
            x2, x3 = x3 ^ right, x2 ^ left
        x1 = x1 * key[6 * ROUNDS] % PRIME & 0xFFFF
        x2, x3 = x3 + key[6 * ROUNDS + 1] & 0xFFFF, x2 + key[6 * ROUNDS + 2] & 0xFFFF
        x4 = x4 * key[6 * ROUNDS + 3] % PRIME & 0xFFFF
        target[at] = x1 & 0xFF
        target[at + 1] = x1 >> 8
        target[at + 2] = x2 & 0xFF
        target[at + 3] = x2 >> 8
        target[at + 4] = x3 & 0xFF
        target[at + 5] = x3 >> 8
        target[at + 6] = x4 & 0xFF
        target[at + 7] = x4 >> 8


@inner
def times(x: Any, k: Any) -> Any:
    """`x * k mod 0x10001` cut to 16 bits, without a division: 0x10000 is -1 there."""
    product = np.uint32(x * k)
    low, high = np.uint32(product & np.uint32(0xFFFF)), np.uint32(product >> np.uint32(16))
    return np.uint32((low - high + np.uint32(low < high)) & np.uint32(0xFFFF))


@inner
def plus(x: Any, k: Any) -> Any:
    return np.uint32((x + k) & np.uint32(0xFFFF))


@inner
def one_round(x1: Any, x2: Any, x3: Any, x4: Any, key: Any, k: Any) -> Any:
    x1, x2 = times(x1, key[k]), plus(x2, key[k + 1])
    x3, x4 = plus(x3, key[k + 2]), times(x4, key[k + 3])
    left = times(np.uint32(x1 ^ x3), key[k + 4])
    right = times(plus(left, np.uint32(x2 ^ x4)), key[k + 5])
    left = plus(left, right)
    return np.uint32(x1 ^ right), np.uint32(x3 ^ right), np.uint32(x2 ^ left), np.uint32(x4 ^ left)


@jit
def _unrolled(source: Any, target: Any, key: Any) -> None:
    """One block at a time, its rounds one after the other: words of 16 bits in, words out."""
    for block in prange(source.shape[0]):
        x1, x2 = np.uint32(source[block, 0]), np.uint32(source[block, 1])
        x3, x4 = np.uint32(source[block, 2]), np.uint32(source[block, 3])
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 0)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 6)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 12)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 18)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 24)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 30)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 36)
        x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 42)
        target[block, 0] = times(x1, key[48])
        target[block, 1] = plus(x3, key[49])
        target[block, 2] = plus(x2, key[50])
        target[block, 3] = times(x4, key[51])


@jit
def _side_by_side(source: Any, target: Any, key: Any) -> None:
    """`LANES` blocks at a time, each round a loop over them."""
    blocks = source.shape[0]
    for strip in prange((blocks + LANES - 1) // LANES):
        first = strip * LANES
        count = min(LANES, blocks - first)
        x = np.empty((4, LANES), np.uint32)
        for lane in range(count):
            x[0, lane], x[1, lane] = source[first + lane, 0], source[first + lane, 1]
            x[2, lane], x[3, lane] = source[first + lane, 2], source[first + lane, 3]
        for k in range(0, 6 * ROUNDS, 6):
            for lane in range(count):
                x[0, lane], x[1, lane], x[2, lane], x[3, lane] = one_round(
                    x[0, lane], x[1, lane], x[2, lane], x[3, lane], key, k
                )
        for lane in range(count):
            target[first + lane, 0] = times(x[0, lane], key[48])
            target[first + lane, 1] = plus(x[2, lane], key[49])
            target[first + lane, 2] = plus(x[1, lane], key[50])
            target[first + lane, 3] = times(x[3, lane], key[51])


def prange_port(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Texts:
    """The plain function with `prange` in place of `range`."""
    _straight(plain, cipher, key)
    _straight(cipher, decrypted, inverse_key)
    return cipher, decrypted


def expert(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Texts:
    """32-bit words, the rounds unrolled, no division."""
    return in_words(_unrolled, plain, cipher, decrypted, key, inverse_key)


def lanes(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Texts:
    """Blocks side by side, so that rounds are loops which vectorise."""
    return in_words(_side_by_side, plain, cipher, decrypted, key, inverse_key)


def in_words(function: Any, plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Texts:
    """Both directions over blocks of four words, low-order byte first."""
    texts = [text.view("<u2").reshape(-1, 4) for text in (plain, cipher, decrypted)]
    function(texts[0], texts[1], key.astype(np.uint32))
    function(texts[1], texts[2], inverse_key.astype(np.uint32))
    return cipher, decrypted


PEERS = {"prange_port": prange_port, "expert": expert, "lanes": lanes}
assert PRIME == 0x10001
