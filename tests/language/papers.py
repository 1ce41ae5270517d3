"""The programs of `examples/papers`: constructs of SkelCL, of patterns with rewrite rules, and of Accelerate."""

from __future__ import annotations

import numpy as np

from examples.papers import (
    asum,
    black_scholes,
    blur_to_the_edge,
    canny,
    correlations,
    diffusion,
    dot_product,
    filtered,
    fold_of_rows,
    fold_of_segments,
    gemv,
    heat_flow,
    histogram,
    iterated_map,
    manhattan_distances,
    map_with_argument,
    matrix_product,
    molecular_dynamics,
    prefix_sums,
    reordered,
    saxpy,
    scal,
    segmented_scan,
    sobel,
    square,
    sum_of_neighbours,
    sums_of_chunks,
    transposed,
    vector_scaling,
    wrapped_average,
)
from tests.language.program import SHAPES, SIZES, numbers, program

F = np.float32


def singles(*shape: int) -> np.ndarray:
    return numbers(*shape, dtype=F)


def halves(*shape: int) -> np.ndarray:
    """Numbers whose sums and products are exact."""
    return numbers(*shape, dtype=np.int64) / 2


WEIGHTS = np.array([0.25, 0.5, 0.25])
#: each method with its cases, and the tolerance where functions or sums show
PROGRAMS = [
    (map_with_argument.multiplied, lambda: [(numbers(n), 2.5) for n in SIZES], 0.0),
    (saxpy.saxpy, lambda: [(F(1.5), singles(n), singles(n)) for n in SIZES], 0.0),
    (dot_product.dot_product, lambda: [(halves(n), halves(n)) for n in SIZES[1:]], 0.0),
    (prefix_sums.prefix_sums, lambda: [(numbers(n, dtype=np.int64),) for n in SIZES], 0.0),
    (prefix_sums.prefix_sums_of_floats, lambda: [(halves(n),) for n in SIZES], 0.0),
    (sum_of_neighbours.sum_of_neighbours, lambda: [(numbers(*s),) for s in SHAPES], 0.0),
    (blur_to_the_edge.blurred, lambda: [(numbers(*s), WEIGHTS) for s in SHAPES], 0.0),
    (wrapped_average.wrapped_average, lambda: [(numbers(n),) for n in SIZES], 0.0),
    (sobel.edges, lambda: [(numbers(*s),) for s in SHAPES], 0.0),
    (heat_flow.heat_flow, lambda: [(numbers(*s), 3) for s in SHAPES], 0.0),
    (canny.canny, lambda: [(numbers(*s), 1.0) for s in SHAPES], 0.0),
    (matrix_product.matrix_product, lambda: [(numbers(n, 5), numbers(5, 3)) for n in SIZES[:4]], 0.0),
    (manhattan_distances.manhattan_distances, lambda: [(numbers(n, 3),) for n in SIZES[:4]], 0.0),
    (correlations.correlations, lambda: [(numbers(n, 6),) for n in SIZES[:4]], 0.0),
    (vector_scaling.scaled, lambda: [(numbers(n, dtype=np.int32),) for n in SIZES], 0.0),
    (scal.scal, lambda: [(F(-3), singles(n)) for n in SIZES], 0.0),
    (asum.asum, lambda: [(halves(n).astype(F),) for n in SIZES[1:]], 0.0),
    (gemv.gemv, lambda: [(F(2), singles(*s), singles(s[1]), F(0.5), singles(s[0])) for s in SHAPES], 0.0),
    (
        black_scholes.black_scholes,
        lambda: [(numbers(n, low=20, high=90).astype(F), F(50), F(2), F(0.03), F(0.3)) for n in SIZES],
        2e-4,
    ),
    (
        molecular_dynamics.forces,
        lambda: [(numbers(n, 3), (np.arange(4 * n).reshape(4, n) * 7 + 1) % n, 40.0) for n in (1, 23)],
        0.0,
    ),
    (iterated_map.iterated, lambda: [(numbers(n, low=0, high=1), 5) for n in SIZES], 0.0),
    (sums_of_chunks.sums_of_chunks, lambda: [(numbers(n), 4) for n in SIZES], 0.0),
    (reordered.reordered, lambda: [(numbers(n), 5) for n in SIZES], 0.0),
    (filtered.filtered, lambda: [(numbers(n), 1.0) for n in SIZES], 0.0),
    (histogram.histogram, lambda: [(numbers(n, low=0, high=99),) for n in SIZES], 0.0),
    (transposed.transposed, lambda: [(numbers(*s),) for s in SHAPES], 0.0),
    (square.square, lambda: [(numbers(n),) for n in SIZES], 0.0),
    (fold_of_rows.greatest_of_rows, lambda: [(numbers(*s),) for s in SHAPES], 0.0),
    (
        fold_of_segments.sums_of_segments,
        lambda: [(np.array([0, 3, 3, 9, 10, 131]), numbers(131)), (np.zeros(1, np.int64), numbers(2))],
        0.0,
    ),
    (
        segmented_scan.segmented_scan,
        lambda: [(numbers(n, dtype=np.int64), numbers(n, dtype=bool)) for n in SIZES],
        0.0,
    ),
    (diffusion.diffused, lambda: [(numbers(*s), 2, 0.1) for s in SHAPES], 0.0),
]
for method, cases, rtol in PROGRAMS:
    program(cases, rtol)(method)
