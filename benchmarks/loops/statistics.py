"""Data mining and reductions of data: covariance, correlation, azimint_naive, go_fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel


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


def table(random: np.random.Generator, n: int, m: int) -> tuple[Any, ...]:
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


def rings(random: np.random.Generator, n: int, bins: int) -> tuple[Any, ...]:
    return random.random(n), random.random(n), bins


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


def square(random: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (random.random((n, n)),)


KERNELS = (
    Kernel(covariance, covariance_numpy, table, tiny=(7, 5), S=(260, 240), M=(1400, 1200), L=(3000, 2600)),
    Kernel(correlation, correlation_numpy, table, tiny=(7, 5), S=(260, 240), M=(1400, 1200), L=(3000, 2600)),
    Kernel(
        azimint_naive, azimint_naive_numpy, rings, tiny=(60, 3), S=(40000, 100), M=(400000, 1000), L=(1000000, 2000)
    ),
    Kernel(go_fast, go_fast_numpy, square, tiny=(6,), S=(500,), M=(3000,), L=(12000,), bits=False),
)
