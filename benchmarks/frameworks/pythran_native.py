"""The kernels in Python that Pythran compiles with OpenMP; `with_pythran` does that and calls them."""

# fmt: off
#pythran export crypt(uint16[:,:], uint16[:,:], uint32[:])
#pythran export lufact(float64[:,:], float64[:], int64[:])
#pythran export series(float64[:,:], float64[:], float64[:], float64)
#pythran export sor(float64[:,:], float64, int)
#pythran export sparsematmult(float64[:], float64[:], int32[:], int32[:], float64[:], int, int64[:])
import math

import numpy as np


def _times(x, k):
    product = x * k
    low, high = product & np.uint32(0xFFFF), product >> np.uint32(16)
    return (low - high + np.uint32(low < high)) & np.uint32(0xFFFF)


def crypt(source, target, key):
    #omp parallel for
    for block in range(source.shape[0]):
        x1, x2 = np.uint32(source[block, 0]), np.uint32(source[block, 1])
        x3, x4 = np.uint32(source[block, 2]), np.uint32(source[block, 3])
        for k in range(0, 48, 6):
            x1 = _times(x1, key[k])
            x2 = (x2 + key[k + 1]) & np.uint32(0xFFFF)
            x3 = (x3 + key[k + 2]) & np.uint32(0xFFFF)
            x4 = _times(x4, key[k + 3])
            left = _times(x1 ^ x3, key[k + 4])
            right = _times((left + (x2 ^ x4)) & np.uint32(0xFFFF), key[k + 5])
            left = (left + right) & np.uint32(0xFFFF)
            x1 = x1 ^ right
            x4 = x4 ^ left
            inner = x2 ^ left
            x2 = x3 ^ right
            x3 = inner
        target[block, 0] = _times(x1, key[48])
        target[block, 1] = (x3 + key[49]) & np.uint32(0xFFFF)
        target[block, 2] = (x2 + key[50]) & np.uint32(0xFFFF)
        target[block, 3] = _times(x4, key[51])


def lufact(columns, b, pivots):
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = k
        largest = abs(columns[k, k])
        for i in range(k + 1, n):
            if abs(columns[k, i]) > largest:
                largest = abs(columns[k, i])
                pivot = i
        pivots[k] = pivot
        if largest != 0.0:
            element = columns[k, pivot]
            columns[k, pivot] = columns[k, k]
            columns[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, n):
                columns[k, i] *= scale
            #omp parallel for schedule(static)
            for j in range(k + 1, n):
                factor = columns[j, pivot]
                columns[j, pivot] = columns[j, k]
                columns[j, k] = factor
                for i in range(k + 1, n):
                    columns[j, i] += factor * columns[k, i]
    pivots[n - 1] = n - 1
    for k in range(n - 1):
        pivot = pivots[k]
        factor = b[pivot]
        b[pivot] = b[k]
        b[k] = factor
        for i in range(k + 1, n):
            b[i] += factor * columns[k, i]
    for k in range(n - 1, -1, -1):
        b[k] /= columns[k, k]
        factor = -b[k]
        for i in range(k):
            b[i] += factor * columns[k, i]


def series(coefficients, places, powers, step):
    #omp parallel for schedule(static)
    for n in range(1, coefficients.shape[1]):
        frequency = math.pi * n
        a = 0.0
        b = 0.0
        for k in range(len(places)):
            angle = frequency * places[k]
            a += powers[k] * math.cos(angle)
            b += powers[k] * math.sin(angle)
        coefficients[0, n] = a * step
        coefficients[1, n] = b * step


def sor(G, omega, iterations):
    neighbours, own = 0.25 * omega, 1.0 - omega
    rows, width = G.shape[0] // 2, G.shape[1] // 2
    red0, red1 = np.empty((rows, width)), np.empty((rows, width))
    black0, black1 = np.empty((rows, width)), np.empty((rows, width))
    #omp parallel for schedule(static)
    for i in range(rows):
        for t in range(width):
            red0[i, t] = G[2 * i, 2 * t]
            black0[i, t] = G[2 * i, 2 * t + 1]
            red1[i, t] = G[2 * i + 1, 2 * t + 1]
            black1[i, t] = G[2 * i + 1, 2 * t]
    for _ in range(iterations):
        #omp parallel for schedule(static)
        for i in range(rows):
            if i > 0:
                for t in range(1, width):
                    around = black1[i - 1, t] + black1[i, t] + black0[i, t - 1] + black0[i, t]
                    red0[i, t] = neighbours * around + own * red0[i, t]
            if i < rows - 1:
                for t in range(width - 1):
                    around = black0[i, t] + black0[i + 1, t] + black1[i, t] + black1[i, t + 1]
                    red1[i, t] = neighbours * around + own * red1[i, t]
        #omp parallel for schedule(static)
        for i in range(rows):
            if i > 0:
                for t in range(width - 1):
                    around = red1[i - 1, t] + red1[i, t] + red0[i, t] + red0[i, t + 1]
                    black0[i, t] = neighbours * around + own * black0[i, t]
            if i < rows - 1:
                for t in range(1, width):
                    around = red0[i, t] + red0[i + 1, t] + red1[i, t - 1] + red1[i, t]
                    black1[i, t] = neighbours * around + own * black1[i, t]
    #omp parallel for schedule(static)
    for i in range(rows):
        for t in range(width):
            G[2 * i, 2 * t] = red0[i, t]
            G[2 * i, 2 * t + 1] = black0[i, t]
            G[2 * i + 1, 2 * t + 1] = red1[i, t]
            G[2 * i + 1, 2 * t] = black1[i, t]
    total = 0.0
    #omp parallel for schedule(static) reduction(+:total)
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


def sparsematmult(y, values, row, column, x, iterations, blocks):
    for _ in range(iterations):
        #omp parallel for schedule(static)
        for part in range(len(blocks) - 1):
            for k in range(blocks[part], blocks[part + 1]):
                y[row[k]] += x[column[k]] * values[k]
