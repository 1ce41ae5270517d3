"""Data: covariance, correlation, azimint_naive, azimint_hist, go_fast, compute, arc_distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel
from somd import shared, sync

Random = np.random.Generator


def covariance(data: Array) -> np.ndarray:
    """The covariances of the columns; `data` is centred in place."""
    n, m = data.shape
    mean = np.zeros(m)
    for j in range(m):  # prange
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    for i in range(n):  # prange
        for j in range(m):
            data[i, j] -= mean[j]
    cov = np.zeros((m, m))
    for i in range(m):  # prange
        for j in range(i, m):
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= n - 1.0
            cov[j, i] = cov[i, j]
    return cov


def covariance_numpy(data: np.ndarray) -> np.ndarray:
    data -= data.mean(axis=0)
    return data.T @ data / (len(data) - 1.0)


def correlation(data: Array) -> np.ndarray:
    """The correlations of the columns; `data` is centred and reduced in place."""
    n, m = data.shape
    mean = np.zeros(m)
    deviation = np.zeros(m)
    for j in range(m):  # prange
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
        for i in range(n):
            deviation[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        deviation[j] = np.sqrt(deviation[j] / n)
        if deviation[j] <= 0.1:
            deviation[j] = 1.0
    for i in range(n):  # prange
        for j in range(m):
            data[i, j] = (data[i, j] - mean[j]) / (np.sqrt(n) * deviation[j])
    corr = np.zeros((m, m))
    for i in range(m):  # prange
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            for k in range(n):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    return corr


def correlation_numpy(data: np.ndarray) -> np.ndarray:
    deviation = data.std(axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= data.mean(axis=0)
    data /= np.sqrt(len(data)) * deviation
    corr = data.T @ data
    np.fill_diagonal(corr, 1.0)
    return corr


def table(random: Random, n: int, m: int) -> tuple[Any, ...]:
    return (random.random((n, m)) * random.integers(1, 9, m),)


def azimint_naive(data: Array, radius: Array, bins: int) -> np.ndarray:
    """The mean of `data` in each of `bins` rings of equal width about the origin."""
    largest = radius[0]
    for k in range(len(radius)):  # prange
        largest = max(largest, radius[k])
    mean = np.zeros(bins)
    for i in range(bins):  # prange
        inner = largest * i / bins
        outer = largest * (i + 1) / bins
        total = 0.0
        count = 0
        for k in range(len(data)):
            if inner <= radius[k] and radius[k] < outer:
                total += data[k]
                count += 1
        mean[i] = total / count
    return mean


def azimint_naive_numpy(data: np.ndarray, radius: np.ndarray, bins: int) -> np.ndarray:
    largest = radius.max()
    mean = np.zeros(bins)
    for i in range(bins):
        inside = (largest * i / bins <= radius) & (radius < largest * (i + 1) / bins)
        mean[i] = data[inside].mean()
    return mean


def rings(random: Random, n: int, bins: int) -> tuple[Any, ...]:
    return random.random(n), random.random(n), bins


def azimint_hist(data: Array, radius: Array, bins: int) -> np.ndarray:
    """The mean of `data` in each ring by two histograms of the radii."""
    largest = radius[0]
    for k in range(len(radius)):
        largest = max(largest, radius[k])
    count: shared[np.ndarray] = np.zeros(bins, dtype=np.int64)
    total: shared[np.ndarray] = np.zeros(bins)
    with sync(count, total, reduce="+"):
        for k in range(len(data)):
            b = min(int(radius[k] / largest * bins), bins - 1)
            count[b] += 1
            total[b] += data[k]
    mean = np.zeros(bins)
    for b in range(bins):
        mean[b] = total[b] / count[b]
    return mean


def azimint_hist_port(data: np.ndarray, radius: np.ndarray, bins: int) -> np.ndarray:
    """Histograms of pieces of the data, then their sums."""
    pieces = 64
    largest = radius.max()
    count = np.zeros((pieces, bins), dtype=np.int64)
    total = np.zeros((pieces, bins))
    for piece in range(pieces):  # prange
        for k in range(piece * len(data) // pieces, (piece + 1) * len(data) // pieces):
            b = min(int(radius[k] / largest * bins), bins - 1)
            count[piece, b] += 1
            total[piece, b] += data[k]
    return total.sum(axis=0) / count.sum(axis=0)


def azimint_hist_numpy(data: np.ndarray, radius: np.ndarray, bins: int) -> np.ndarray:
    b = np.minimum((radius / radius.max() * bins).astype(np.int64), bins - 1)
    return np.bincount(b, data, bins) / np.bincount(b, None, bins)


def go_fast(a: Array) -> np.ndarray:
    """`a` plus the sum of the hyperbolic tangents of its diagonal."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    out = np.empty_like(a)
    for i in range(a.shape[0]):  # prange
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] + trace
    return out


def go_fast_numpy(a: np.ndarray) -> np.ndarray:
    return a + np.tanh(np.diagonal(a)).sum()


def square(random: Random, n: int) -> tuple[Any, ...]:
    return (random.random((n, n)),)


def compute(x: Array, y: Array, a: int, b: int, c: int) -> np.ndarray:
    """Integers, element by element: `x` cut to 2 to 10, a of those plus b of `y` plus c."""
    out = np.empty_like(x)
    for i in range(x.shape[0]):  # prange
        for j in range(x.shape[1]):
            out[i, j] = min(max(x[i, j], 2), 10) * a + y[i, j] * b + c
    return out


def compute_numpy(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> np.ndarray:
    return np.clip(x, 2, 10) * a + y * b + c


def integers(random: Random, m: int, n: int) -> tuple[Any, ...]:
    return random.integers(0, 1000, (m, n)), random.integers(0, 1000, (m, n)), 4, 3, 9


def arc_distance(theta_1: Array, phi_1: Array, theta_2: Array, phi_2: Array) -> np.ndarray:
    """Distances between pairs of points on a sphere, by the haversine formula."""
    out = np.empty_like(theta_1)
    for i in range(len(theta_1)):  # prange
        north = np.sin((theta_2[i] - theta_1[i]) / 2.0)
        east = np.sin((phi_2[i] - phi_1[i]) / 2.0)
        haversine = north * north + np.cos(theta_1[i]) * np.cos(theta_2[i]) * east * east
        out[i] = 2.0 * np.arctan2(np.sqrt(haversine), np.sqrt(1.0 - haversine))
    return out


def arc_distance_numpy(theta_1: np.ndarray, phi_1: np.ndarray, theta_2: np.ndarray, phi_2: np.ndarray) -> np.ndarray:
    north, east = np.sin((theta_2 - theta_1) / 2.0), np.sin((phi_2 - phi_1) / 2.0)
    haversine = north**2 + np.cos(theta_1) * np.cos(theta_2) * east**2
    return 2.0 * np.arctan2(np.sqrt(haversine), np.sqrt(1.0 - haversine))


def angles(random: Random, n: int) -> tuple[Any, ...]:
    return tuple(random.random(n) for _ in range(4))


KERNELS = (
    Kernel(covariance, covariance_numpy, table, tiny=(7, 5), S=(260, 240), M=(1400, 1200), L=(3000, 2600)),
    Kernel(correlation, correlation_numpy, table, tiny=(7, 5), S=(260, 240), M=(1400, 1200), L=(3000, 2600)),
    Kernel(
        azimint_naive, azimint_naive_numpy, rings, tiny=(60, 3), S=(40000, 100), M=(400000, 1000), L=(1000000, 2000)
    ),
    Kernel(go_fast, go_fast_numpy, square, tiny=(6,), S=(500,), M=(3000,), L=(12000,), bits=False),
    Kernel(
        azimint_hist,
        azimint_hist_numpy,
        rings,
        (60, 3),
        S=(40000, 100),
        M=(1000000, 1000),
        L=(10000000, 1000),
        bits=False,
        port=azimint_hist_port,
    ),
    Kernel(compute, compute_numpy, integers, (5, 7), S=(400, 500), M=(2000, 2000), L=(8000, 8000)),
    Kernel(arc_distance, arc_distance_numpy, angles, (20,), S=(10000,), M=(1000000,), L=(10000000,), bits=False),
)
