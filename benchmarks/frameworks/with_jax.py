"""The kernels as an expert writes them in JAX: whole arrays, compiled by XLA, in 64 bits."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.hand_written.series import table
from benchmarks.javagrande.crypt import ROUNDS
from benchmarks.javagrande.series import PLAIN, STEP, trapezoid

jax.config.update("jax_enable_x64", True)

#: parts that LUFact's steps are cut into; each works on the columns and rows that are still to be eliminated
STAGES = 10


def _times(x: Any, k: Any) -> Any:
    """`x * k mod 0x10001` cut to 16 bits, without a division: 0x10000 is -1 there."""
    product = x * k
    low, high = product & 0xFFFF, product >> 16
    return (low - high + (low < high)) & 0xFFFF


def _plus(x: Any, k: Any) -> Any:
    return (x + k) & 0xFFFF


@jax.jit
def _crypt(source: Any, key: Any) -> Any:
    def one_round(words: Any, k: Any) -> Any:
        x1, x2, x3, x4 = words
        x1, x2 = _times(x1, k[0]), _plus(x2, k[1])
        x3, x4 = _plus(x3, k[2]), _times(x4, k[3])
        left = _times(x1 ^ x3, k[4])
        right = _times(_plus(left, x2 ^ x4), k[5])
        left = _plus(left, right)
        return (x1 ^ right, x3 ^ right, x2 ^ left, x4 ^ left), None

    words = tuple(source[:, word].astype(jnp.uint32) for word in range(4))
    (x1, x2, x3, x4), _ = lax.scan(one_round, words, key[: 6 * ROUNDS].reshape(ROUNDS, 6))
    words = _times(x1, key[48]), _plus(x3, key[49]), _plus(x2, key[50]), _times(x4, key[51])
    return jnp.stack(words, axis=1).astype(jnp.uint16)


def crypt(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Any:
    """All blocks at once, in words of 32 bits; the rounds unrolled are one expression that XLA does not finish."""
    encrypted = _crypt(plain.view("<u2").reshape(-1, 4), key.astype(np.uint32))
    back = _crypt(encrypted, inverse_key.astype(np.uint32))
    cipher.view("<u2").reshape(-1, 4)[:] = encrypted
    decrypted.view("<u2").reshape(-1, 4)[:] = back
    return cipher, decrypted


def _eliminate(k: Any, state: Any) -> Any:
    """Step k on what is left: `rest[j, i]` holds column j, row i."""
    rest, pivots = state
    places = jnp.arange(rest.shape[0])
    column = rest[k]
    pivot = jnp.argmax(jnp.where(places >= k, jnp.abs(column), -1.0))
    element = column[pivot]
    column = column.at[pivot].set(column[k]).at[k].set(element)
    regular = element != 0.0
    column = jnp.where((places > k) & regular, column * (-1.0 / element), column)
    factors = rest[:, pivot]
    later = (places > k) & regular
    swapped = jnp.where(later, rest[:, k], factors)
    rest = rest.at[:, pivot].set(swapped)
    rest = rest.at[:, k].set(jnp.where(later, factors, rest[:, k]))
    rest = rest.at[k].set(column)
    rest = rest + jnp.where(later, factors, 0.0)[:, None] * jnp.where(places > k, column, 0.0)[None, :]
    return rest, pivots.at[k].set(pivot)


@partial(jax.jit, donate_argnums=(0, 1))
def _lufact(columns: Any, b: Any) -> Any:
    """Shapes are fixed, so a step works on more than is left; stages that shrink keep that small."""
    n = columns.shape[0]
    found = []
    for stage in range(STAGES):
        start, stop = n * stage // STAGES, n * (stage + 1) // STAGES
        steps = min(stop, n - 1) - start
        rest, pivots = columns[start:, start:], jnp.zeros(stop - start, jnp.int64)
        rest, pivots = lax.fori_loop(0, steps, _eliminate, (rest, pivots))
        columns = columns.at[start:, start:].set(rest)
        found.append(start + pivots)
    pivots = jnp.concatenate(found).at[n - 1].set(n - 1)
    places = jnp.arange(n)

    def forward(k: Any, b: Any) -> Any:
        factor = b[pivots[k]]
        b = b.at[pivots[k]].set(b[k]).at[k].set(factor)
        return b + jnp.where(places > k, factor * columns[k], 0.0)

    def backward(step: Any, b: Any) -> Any:
        k = n - 1 - step
        factor = b[k] / columns[k, k]
        return jnp.where(places < k, b - factor * columns[k], b).at[k].set(factor)

    return columns, lax.fori_loop(0, n, backward, lax.fori_loop(0, n - 1, forward, b)), pivots


def lufact(columns: Any, b: Any, pivots: Any) -> Any:
    """Unblocked, as the source is; JAX's own `lu` is LAPACK's blocked algorithm."""
    for place, result in zip((columns, b, pivots), _lufact(jnp.array(columns), jnp.array(b)), strict=True):
        place[:] = result
    return b


@partial(jax.jit, static_argnums=0)
def _series(count: int, places: Any, powers: Any) -> Any:
    def pair(n: Any) -> Any:
        angles = jnp.pi * n * places
        return jnp.sum(powers * jnp.cos(angles)) * STEP, jnp.sum(powers * jnp.sin(angles)) * STEP

    return jax.vmap(pair)(jnp.arange(1, count))


def series(coefficients: Any) -> Any:
    """The powers in a table, `vmap` over the coefficients."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    coefficients[0, 1:], coefficients[1, 1:] = _series(coefficients.shape[1], *table())
    return coefficients


@jax.jit
def _sor(G: Any, omega: Any, iterations: Any) -> Any:
    """The colours apart, and of each the even rows and the odd ones: every neighbour is a slice."""

    def relaxed(own: Any, *around: Any) -> Any:
        return 0.25 * omega * sum(around[1:], around[0]) + (1.0 - omega) * own

    def iteration(_: Any, state: Any) -> Any:
        r0, r1, b0, b1 = state
        r0 = r0.at[1:, 1:].set(relaxed(r0[1:, 1:], b1[:-1, 1:], b1[1:, 1:], b0[1:, :-1], b0[1:, 1:]))
        r1 = r1.at[:-1, :-1].set(relaxed(r1[:-1, :-1], b0[:-1, :-1], b0[1:, :-1], b1[:-1, :-1], b1[:-1, 1:]))
        b0 = b0.at[1:, :-1].set(relaxed(b0[1:, :-1], r1[:-1, :-1], r1[1:, :-1], r0[1:, :-1], r0[1:, 1:]))
        b1 = b1.at[:-1, 1:].set(relaxed(b1[:-1, 1:], r0[:-1, 1:], r0[1:, 1:], r1[:-1, :-1], r1[:-1, 1:]))
        return r0, r1, b0, b1

    state = G[0::2, 0::2], G[1::2, 1::2], G[0::2, 1::2], G[1::2, 0::2]
    r0, r1, b0, b1 = lax.fori_loop(0, iterations, iteration, state)
    even, odd = jnp.stack((r0, b0), axis=2), jnp.stack((b1, r1), axis=2)
    G = jnp.stack((even.reshape(len(r0), -1), odd.reshape(len(r0), -1)), axis=1).reshape(G.shape)
    return G, jnp.sum(G[1:-1, 1:-1])


def sor(G: Any, omega: Any, iterations: Any) -> float:
    """Red and black packed apart; for grids of an even edge."""
    G[:], total = _sor(G, omega, iterations)
    return float(total)


@jax.jit
def _sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    def once(_: Any, y: Any) -> Any:
        return y.at[row].add(x[column] * values, indices_are_sorted=True)

    return lax.fori_loop(0, iterations, once, y)


def sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """A scatter with sorted indexes."""
    y[:] = _sparsematmult(y, values, row, column, x, iterations)
    return y


KERNELS = {"crypt": crypt, "lufact": lufact, "series": series, "sor": sor, "sparsematmult": sparsematmult}
