"""Layers of neural networks: conv2d, softmax, mlp, lenet, residual."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def conv2d(image: Array, weights: Array, bias: Array) -> np.ndarray:
    """Convolution of images (number, row, column, channel) with square filters (row, column, in, out), and a bias."""
    n, height, width, channels = image.shape
    size = weights.shape[0]
    out = np.empty((n, height - size + 1, width - size + 1, weights.shape[3]))
    for b in range(out.shape[0]):  # prange
        for y in range(out.shape[1]):
            for x in range(out.shape[2]):
                for f in range(out.shape[3]):
                    total = bias[f]
                    for dy in range(size):
                        for dx in range(size):
                            for c in range(channels):
                                total += image[b, y + dy, x + dx, c] * weights[dy, dx, c, f]
                    out[b, y, x, f] = total
    return out


def conv2d_numpy(image: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    size = len(weights)
    windows = np.lib.stride_tricks.sliding_window_view(image, (size, size), axis=(1, 2))
    return np.tensordot(windows, weights, axes=((4, 5, 3), (0, 1, 2))) + bias


def conv2d_inputs(random: Random, n: int, edge: int, channels: int, filters: int, size: int) -> tuple[Any, ...]:
    return (
        random.random((n, edge, edge, channels)),
        random.random((size, size, channels, filters)),
        random.random(filters),
    )


def softmax(x: Array) -> np.ndarray:
    """The exponentials of each row of the last axis, divided by their sum."""
    n, heads, rows, length = x.shape
    out = np.empty_like(x)
    for b in range(n):  # prange
        for h in range(heads):
            for r in range(rows):
                largest = x[b, h, r, 0]
                for k in range(length):
                    largest = max(largest, x[b, h, r, k])
                total = 0.0
                for k in range(length):
                    out[b, h, r, k] = np.exp(x[b, h, r, k] - largest)
                    total += out[b, h, r, k]
                for k in range(length):
                    out[b, h, r, k] /= total
    return out


def softmax_numpy(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_inputs(random: Random, n: int, heads: int, rows: int, length: int) -> tuple[Any, ...]:
    return (random.random((n, heads, rows, length)),)


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array) -> np.ndarray:
    """Three layers, each input of which is a row of `x`: two with rectifiers, the last one with a softmax."""
    n = x.shape[0]
    first = np.zeros((n, w1.shape[1]))
    second = np.zeros((n, w2.shape[1]))
    out = np.zeros((n, w3.shape[1]))
    for i in range(n):  # prange
        for j in range(first.shape[1]):
            for k in range(x.shape[1]):
                first[i, j] += x[i, k] * w1[k, j]
            first[i, j] = max(first[i, j] + b1[j], 0.0)
    for i in range(n):  # prange
        for j in range(second.shape[1]):
            for k in range(first.shape[1]):
                second[i, j] += first[i, k] * w2[k, j]
            second[i, j] = max(second[i, j] + b2[j], 0.0)
    for i in range(n):  # prange
        largest = -np.inf
        for j in range(out.shape[1]):
            for k in range(second.shape[1]):
                out[i, j] += second[i, k] * w3[k, j]
            out[i, j] += b3[j]
            largest = max(largest, out[i, j])
        total = 0.0
        for j in range(out.shape[1]):
            out[i, j] = np.exp(out[i, j] - largest)
            total += out[i, j]
        for j in range(out.shape[1]):
            out[i, j] /= total
    return out


def mlp_numpy(
    x: np.ndarray, w1: np.ndarray, b1: np.ndarray, w2: np.ndarray, b2: np.ndarray, w3: np.ndarray, b3: np.ndarray
) -> np.ndarray:
    first = np.maximum(x @ w1 + b1, 0.0)
    second = np.maximum(first @ w2 + b2, 0.0)
    return softmax_numpy(second @ w3 + b3)


def mlp_inputs(random: Random, n: int, *sizes: int) -> tuple[Any, ...]:
    weights = [random.random((a, b)) / a - 0.4 / a for a, b in itertools.pairwise(sizes)]
    pairs = [(w, random.random(w.shape[1])) for w in weights]
    return random.random((n, sizes[0])), *(each for pair in pairs for each in pair)


def lenet(
    image: Array, c1: Array, b1: Array, c2: Array, b2: Array, f1: Array, g1: Array, f2: Array, g2: Array
) -> np.ndarray:
    """Two convolutions with rectifiers and pools of 2 x 2, then two full layers."""
    n = image.shape[0]
    size = c1.shape[0]
    conv = np.zeros((n, image.shape[1] - size + 1, image.shape[2] - size + 1, c1.shape[3]))
    for b in range(n):  # prange
        for y in range(conv.shape[1]):
            for x in range(conv.shape[2]):
                for f in range(conv.shape[3]):
                    total = b1[f]
                    for dy in range(size):
                        for dx in range(size):
                            for c in range(image.shape[3]):
                                total += image[b, y + dy, x + dx, c] * c1[dy, dx, c, f]
                    conv[b, y, x, f] = max(total, 0.0)
    pool = np.zeros((n, conv.shape[1] // 2, conv.shape[2] // 2, conv.shape[3]))
    for b in range(n):  # prange
        for y in range(pool.shape[1]):
            for x in range(pool.shape[2]):
                for f in range(pool.shape[3]):
                    pool[b, y, x, f] = max(
                        conv[b, 2 * y, 2 * x, f],
                        conv[b, 2 * y, 2 * x + 1, f],
                        conv[b, 2 * y + 1, 2 * x, f],
                        conv[b, 2 * y + 1, 2 * x + 1, f],
                    )
    conv2 = np.zeros((n, pool.shape[1] - size + 1, pool.shape[2] - size + 1, c2.shape[3]))
    for b in range(n):  # prange
        for y in range(conv2.shape[1]):
            for x in range(conv2.shape[2]):
                for f in range(conv2.shape[3]):
                    total = b2[f]
                    for dy in range(size):
                        for dx in range(size):
                            for c in range(pool.shape[3]):
                                total += pool[b, y + dy, x + dx, c] * c2[dy, dx, c, f]
                    conv2[b, y, x, f] = max(total, 0.0)
    rows = conv2.shape[1] // 2
    across = conv2.shape[2] // 2
    filters = conv2.shape[3]
    flat = np.zeros((n, rows * across * filters))
    for b in range(n):  # prange
        for y in range(rows):
            for x in range(across):
                for f in range(filters):
                    flat[b, (y * across + x) * filters + f] = max(
                        conv2[b, 2 * y, 2 * x, f],
                        conv2[b, 2 * y, 2 * x + 1, f],
                        conv2[b, 2 * y + 1, 2 * x, f],
                        conv2[b, 2 * y + 1, 2 * x + 1, f],
                    )
    hidden = np.zeros((n, f1.shape[1]))
    for i in range(n):  # prange
        for j in range(hidden.shape[1]):
            for k in range(flat.shape[1]):
                hidden[i, j] += flat[i, k] * f1[k, j]
            hidden[i, j] = max(hidden[i, j] + g1[j], 0.0)
    out = np.zeros((n, f2.shape[1]))
    for i in range(n):  # prange
        for j in range(out.shape[1]):
            for k in range(hidden.shape[1]):
                out[i, j] += hidden[i, k] * f2[k, j]
            out[i, j] += g2[j]
    return out


def lenet_numpy(
    image: np.ndarray,
    c1: np.ndarray,
    b1: np.ndarray,
    c2: np.ndarray,
    b2: np.ndarray,
    f1: np.ndarray,
    g1: np.ndarray,
    f2: np.ndarray,
    g2: np.ndarray,
) -> np.ndarray:
    def pooled(x: np.ndarray) -> np.ndarray:
        n, height, width, channels = x.shape
        x = x[:, : height // 2 * 2, : width // 2 * 2]
        return x.reshape(n, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))

    x = pooled(np.maximum(conv2d_numpy(image, c1, b1), 0.0))
    x = pooled(np.maximum(conv2d_numpy(x, c2, b2), 0.0))
    return np.maximum(x.reshape(len(x), -1) @ f1 + g1, 0.0) @ f2 + g2


def lenet_inputs(random: Random, n: int, edge: int, first: int, second: int, hidden: int, size: int) -> tuple[Any, ...]:
    rest = ((edge - size + 1) // 2 - size + 1) // 2
    shapes = (n, edge, edge, 1), (size, size, 1, first), (first,), (size, size, first, second), (second,)
    shapes += (rest * rest * second, hidden), (hidden,), (hidden, 10), (10,)
    return tuple(random.random(shape) - 0.4 for shape in shapes)


def residual(x: Array, w1: Array, w2: Array, w3: Array) -> np.ndarray:
    """A block of a residual network: filters of 1 x 1, 3 x 3 and 1 x 1, with normalised channels, plus the input."""
    n, height, width, channels = x.shape
    middle = w1.shape[1]
    a = np.zeros((n, height, width, middle))
    b = np.zeros((n, height, width, middle))
    out = np.zeros((n, height, width, channels))
    mean = np.zeros((height, width, middle))
    for i in range(n):  # prange
        for y in range(height):
            for z in range(width):
                for f in range(middle):
                    for c in range(channels):
                        a[i, y, z, f] += x[i, y, z, c] * w1[c, f]
    for y in range(height):  # prange
        for z in range(width):
            for f in range(middle):
                total = 0.0
                for i in range(n):
                    total += a[i, y, z, f]
                mean[y, z, f] = total / n
                square = 0.0
                for i in range(n):
                    square += (a[i, y, z, f] - mean[y, z, f]) * (a[i, y, z, f] - mean[y, z, f])
                scale = np.sqrt(square / n + 1e-5)
                for i in range(n):
                    a[i, y, z, f] = max((a[i, y, z, f] - mean[y, z, f]) / scale, 0.0)
    for i in range(n):  # prange
        for y in range(1, height - 1):
            for z in range(1, width - 1):
                for f in range(middle):
                    total = 0.0
                    for dy in range(3):
                        for dz in range(3):
                            for c in range(middle):
                                total += a[i, y + dy - 1, z + dz - 1, c] * w2[dy, dz, c, f]
                    b[i, y, z, f] = total
    for y in range(height):  # prange
        for z in range(width):
            for f in range(middle):
                total = 0.0
                for i in range(n):
                    total += b[i, y, z, f]
                mean[y, z, f] = total / n
                square = 0.0
                for i in range(n):
                    square += (b[i, y, z, f] - mean[y, z, f]) * (b[i, y, z, f] - mean[y, z, f])
                scale = np.sqrt(square / n + 1e-5)
                for i in range(n):
                    b[i, y, z, f] = max((b[i, y, z, f] - mean[y, z, f]) / scale, 0.0)
    for i in range(n):  # prange
        for y in range(height):
            for z in range(width):
                for c in range(channels):
                    total = x[i, y, z, c]
                    for f in range(middle):
                        total += b[i, y, z, f] * w3[f, c]
                    out[i, y, z, c] = max(total, 0.0)
    return out


def residual_numpy(x: np.ndarray, w1: np.ndarray, w2: np.ndarray, w3: np.ndarray) -> np.ndarray:
    def normalised(a: np.ndarray) -> np.ndarray:
        return np.maximum((a - a.mean(axis=0)) / np.sqrt(a.var(axis=0) + 1e-5), 0.0)

    a = normalised(x @ w1)
    b = np.zeros_like(a)
    b[:, 1:-1, 1:-1] = conv2d_numpy(a, w2, np.zeros(w2.shape[3]))
    return np.maximum(normalised(b) @ w3 + x, 0.0)


def residual_inputs(random: Random, n: int, edge: int, channels: int, middle: int) -> tuple[Any, ...]:
    shapes = (n, edge, edge, channels), (channels, middle), (3, 3, middle, middle), (middle, channels)
    return tuple(random.random(shape) - 0.4 for shape in shapes)


KERNELS = (
    Kernel(
        conv2d,
        conv2d_numpy,
        conv2d_inputs,
        (2, 6, 2, 3, 3),
        S=(4, 32, 3, 16, 5),
        M=(8, 64, 3, 16, 9),
        L=(8, 256, 3, 16, 20),
    ),
    Kernel(
        softmax,
        softmax_numpy,
        softmax_inputs,
        (2, 2, 3, 5),
        S=(4, 4, 64, 64),
        M=(16, 16, 128, 128),
        L=(64, 16, 448, 448),
        bits=False,
    ),
    Kernel(
        mlp,
        mlp_numpy,
        mlp_inputs,
        (3, 4, 5, 6, 3),
        S=(8, 64, 300, 300, 100),
        M=(64, 256, 1000, 1000, 200),
        L=(128, 1024, 4000, 4000, 1000),
        bits=False,
    ),
    Kernel(
        lenet,
        lenet_numpy,
        lenet_inputs,
        (2, 12, 2, 3, 4, 3),
        S=(8, 28, 6, 16, 120, 5),
        M=(32, 64, 6, 16, 120, 5),
        L=(64, 174, 6, 16, 120, 5),
    ),
    Kernel(
        residual,
        residual_numpy,
        residual_inputs,
        (3, 4, 4, 2),
        S=(8, 14, 32, 8),
        M=(8, 28, 128, 32),
        L=(8, 56, 256, 64),
    ),
)
