"""Lanes of one sum or product are a vector, with the bits of the association that is documented."""

import numpy as np

from somd import dist, somd, use
from somd.runtime.blocks import LANES, logical_blocks

A = np.ndarray


@somd
def inner(a: dist[A], b: dist[A]):
    s = 1.5
    for i in range(1, len(a)):
        s += (a[i] - a[0]) * b[i - 1]
    return s


@somd
def product(a: dist[A], b: dist[A]):
    s = 1.0
    for i in range(1, len(a)):
        s *= a[i] / b[i]
    return s


def tree(parts, join):
    """Numbers combined by pairs of neighbours."""
    while len(parts) > 1:
        pairs = [join(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return parts[0]


def by_blocks(taken, neutral, join):
    blocks, length = logical_blocks(len(taken), LANES)
    partials = []
    for block in range(blocks):
        lanes = [neutral] * LANES
        for at, number in enumerate(taken[block * length : (block + 1) * length]):
            lanes[at % LANES] = join(lanes[at % LANES], number)
        partials.append(tree(lanes, join))
    return tree(partials, join)


def test_bits():
    draw = np.random.default_rng(5)
    for count in (2, 33, 34, 65, 97, 1025, 1026, 2500, 32769, 40001):
        a, b = (draw.uniform(0.9, 1.1, size=count) for _ in range(2))
        sums, products = (a[1:] - a[0]) * b[:-1], a[1:] / b[1:]
        wanted = 1.5 + by_blocks(list(sums), -0.0, np.add)
        whole = by_blocks(list(products), 1.0, np.multiply)
        for workers in (1, 3):
            with use(target="multicore", workers=workers, small_work=10):
                assert inner(a, b) == wanted
                assert product(a, b) == whole
    assert "vector_at(LANES, a, i)" in inner.source("multicore")


def test_what_is_no_vector_stays():
    @somd
    def every_second(a: dist[A]):
        s = 0.0
        for i in range(len(a) // 2):
            s += a[2 * i]
        return s

    a = np.random.default_rng(5).normal(size=300)
    with use(target="multicore", workers=2):
        assert every_second(a) == -0.0 + by_blocks(list(a[::2]), -0.0, np.add)
    assert "vector_at" not in every_second.source("multicore")
