"""Crypt: IDEA encryption, then decryption, over blocks of eight bytes.

The suite's multiplication is `x * k mod 0x10001` cut to 16 bits: it lacks IDEA's reading of 0 as 0x10000, which its
plain text never needs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.java_random import JavaRandom
from benchmarks.javagrande.numba_baseline import compiled
from somd import dist, somd

BYTES = {"A": 3_000_000, "B": 20_000_000, "C": 50_000_000}

SEED = 136506717
ROUNDS = 8
SUBKEYS = 6 * ROUNDS + 4
PRIME = 0x10001

Args = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Texts = tuple[np.ndarray, np.ndarray]


def crypt_plain(source: np.ndarray, target: np.ndarray, key: np.ndarray) -> None:
    """Write to `target` the IDEA transform of `source` under 52 subkeys; encryption and decryption alike.

    `source`, `target`: uint8, of one length, a multiple of 8; `key`: int32, shape (52,), each of 16 bits.
    """
    for at in range(0, len(source), 8):
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
            inner = x2 ^ left
            x2 = x3 ^ right
            x3 = inner
        x1 = x1 * key[6 * ROUNDS] % PRIME & 0xFFFF
        inner = x3 + key[6 * ROUNDS + 1] & 0xFFFF
        x3 = x2 + key[6 * ROUNDS + 2] & 0xFFFF
        x2 = inner
        x4 = x4 * key[6 * ROUNDS + 3] % PRIME & 0xFFFF
        target[at] = x1 & 0xFF
        target[at + 1] = x1 >> 8
        target[at + 2] = x2 & 0xFF
        target[at + 3] = x2 >> 8
        target[at + 4] = x3 & 0xFF
        target[at + 5] = x3 >> 8
        target[at + 6] = x4 & 0xFF
        target[at + 7] = x4 >> 8


@somd
def crypt(source: dist[np.ndarray], target: dist[np.ndarray], key: np.ndarray) -> None:
    """`crypt_plain`, both texts distributed."""
    for at in range(0, len(source), 8):
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
            inner = x2 ^ left
            x2 = x3 ^ right
            x3 = inner
        x1 = x1 * key[6 * ROUNDS] % PRIME & 0xFFFF
        inner = x3 + key[6 * ROUNDS + 1] & 0xFFFF
        x3 = x2 + key[6 * ROUNDS + 2] & 0xFFFF
        x2 = inner
        x4 = x4 * key[6 * ROUNDS + 3] % PRIME & 0xFFFF
        target[at] = x1 & 0xFF
        target[at + 1] = x1 >> 8
        target[at + 2] = x2 & 0xFF
        target[at + 3] = x2 >> 8
        target[at + 4] = x3 & 0xFF
        target[at + 5] = x3 >> 8
        target[at + 6] = x4 & 0xFF
        target[at + 7] = x4 >> 8


def encryption_key(user_key: list[int]) -> np.ndarray:
    """The 52 subkeys of a user key of eight 16-bit words: each further eight are the last, rotated left by 25 bits."""
    bits = 0
    for word in user_key:
        bits = bits << 16 | word
    words: list[int] = []
    while len(words) < SUBKEYS:
        words += [bits >> shift & 0xFFFF for shift in range(112, -16, -16)]
        bits = (bits << 25 | bits >> 103) & ((1 << 128) - 1)
    return np.array(words[:SUBKEYS], np.int32)


def decryption_key(key: np.ndarray) -> np.ndarray:
    """The subkeys that undo `key`: each round's inverses, the rounds in reverse order."""
    words = [int(word) for word in key]
    inverted: list[int] = []
    for step in range(ROUNDS, -1, -1):
        a, b, c, d = words[6 * step : 6 * step + 4]
        if 0 < step < ROUNDS:
            b, c = c, b
        inverted += [_inverse(a), -b & 0xFFFF, -c & 0xFFFF, _inverse(d)]
        if step:
            inverted += words[6 * step - 2 : 6 * step]
    return np.array(inverted, np.int32)


def _inverse(word: int) -> int:
    """The multiplicative inverse modulo 0x10001, 0 for 0."""
    return pow(word, -1, PRIME) if word else 0


def inputs(length: int) -> Args:
    """Fresh arguments for `length` bytes of plain text, a multiple of 8: plain text, room for two texts, two keys."""
    plain = np.resize(np.arange(256, dtype=np.uint8), length)
    key = encryption_key([int(word) & 0xFFFF for word in JavaRandom(SEED).ints(8)])
    return plain, np.zeros(length, np.uint8), np.zeros(length, np.uint8), key, decryption_key(key)


def prepare(size: str) -> Args:
    """Fresh arguments of class "A", "B" or "C"."""
    return inputs(BYTES[size])


def kernel(
    plain: np.ndarray, cipher: np.ndarray, decrypted: np.ndarray, key: np.ndarray, inverse_key: np.ndarray
) -> Texts:
    """What is timed: encryption, then decryption, by the target and workers in force."""
    crypt(plain, cipher, key)
    crypt(cipher, decrypted, inverse_key)
    return cipher, decrypted


def sequential(
    plain: np.ndarray, cipher: np.ndarray, decrypted: np.ndarray, key: np.ndarray, inverse_key: np.ndarray
) -> Texts:
    """Encryption, then decryption, by one thread: the cipher text and the decrypted text."""
    _baseline()(plain, cipher, key)
    _baseline()(cipher, decrypted, inverse_key)
    return cipher, decrypted


@functools.cache
def _baseline() -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
    return compiled(crypt_plain)


def validate(size: str, args: Args, result: Texts) -> None:
    """Raise `InvalidResult` unless the decrypted text is the plain text, and the cipher text another."""
    plain = args[0]
    cipher, decrypted = result
    differing = int(np.count_nonzero(decrypted != plain))
    if differing:
        raise InvalidResult(f"{differing} bytes of the decrypted text differ from the plain text")
    unchanged = int(np.count_nonzero((cipher == plain).reshape(-1, 8).all(axis=1)))
    if unchanged:
        raise InvalidResult(f"{unchanged} blocks of the cipher text equal the plain text")
