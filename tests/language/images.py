"""Images and other grids of small integers."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dim, dist, somd
from tests.language.program import SHAPES, fortran, numbers, program

A = dist[np.ndarray]
WEIGHTS = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]])


def images(*more, dtype=np.uint8):
    return [(numbers(n, m, dtype=dtype, low=0, high=255), *more) for n, m in (*SHAPES, (3, 3), (9, 8))]


@program(lambda: [(n, m, 30) for n, m in ((0, 0), (1, 1), (1, 7), (9, 1), (12, 17))])
@somd
def mandelbrot(n: int, m: int, limit: int) -> np.ndarray:
    counts = np.zeros((n, m), np.int32)
    for y in range(n):
        for x in range(m):
            cr = -2.0 + 3.0 * x / m
            ci = -1.5 + 3.0 * y / n
            zr = 0.0
            zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            counts[y, x] = k
    return counts


@program(lambda: [(numbers(n, m, dtype=np.uint8, low=0, high=1), 3) for n, m in (*SHAPES, (8, 9))])
@somd
def game_of_life(world: A, steps: int) -> np.ndarray:
    n, m = world.shape
    new = np.zeros_like(world)
    for t in range(steps):
        for i in range(n):
            for j in range(m):
                alive = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            alive += int(world[(i + di) % n, (j + dj) % m])
                if alive == 3 or (alive == 2 and world[i, j] == 1):
                    new[i, j] = 1
                else:
                    new[i, j] = 0
        world, new = new, world
    return world


@program(lambda: images(dtype=np.int32) + [(fortran(numbers(6, 5, dtype=np.int32)),)])
@somd
def sobel(image: A) -> np.ndarray:
    out = np.zeros(image.shape, np.float64)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            gx = image[i - 1, j + 1] + 2 * image[i, j + 1] + image[i + 1, j + 1]
            gx -= image[i - 1, j - 1] + 2 * image[i, j - 1] + image[i + 1, j - 1]
            gy = image[i + 1, j - 1] + 2 * image[i + 1, j] + image[i + 1, j + 1]
            gy -= image[i - 1, j - 1] + 2 * image[i - 1, j] + image[i - 1, j + 1]
            out[i, j] = np.sqrt(float(gx * gx + gy * gy))
    return out


@program(lambda: images(WEIGHTS, dtype=np.float32) + images(WEIGHTS, dtype=np.float64))
@somd
def gauss_blur(image: A, weights: np.ndarray) -> np.ndarray:
    n, m = image.shape
    out = np.zeros_like(image)
    for i in range(n):
        for j in range(m):
            s = np.float64(0.0)
            w = np.float64(0.0)
            for di in range(max(0, i - 1), min(n, i + 2)):
                for dj in range(max(0, j - 1), min(m, j + 2)):
                    s += weights[di - i + 1, dj - j + 1] * image[di, dj]
                    w += weights[di - i + 1, dj - j + 1]
            out[i, j] = s / w
    return out


@program(lambda: images(128) + images(0, dtype=np.int16))
@somd
def threshold(image: Annotated[np.ndarray, dist, dim(0, 1)], level: int) -> np.ndarray:
    out = np.zeros(image.shape, np.bool_)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = image[i, j] > level
    return out


@program(lambda: images())
@somd
def negative(image: A) -> None:
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            image[i, j] = 255 - image[i, j]


@program(lambda: images(dtype=np.float32))
@somd
def flip_and_mirror(image: A) -> np.ndarray:
    n, m = image.shape
    out = np.empty_like(image)
    for i in range(n):
        for j in range(m):
            out[n - 1 - i, m - 1 - j] = image[i, j]
    return out


@program(lambda: [(numbers(n, m, 3, dtype=np.uint8, low=0, high=255),) for n, m in SHAPES])
@somd
def grey(rgb: A) -> np.ndarray:
    out = np.empty((rgb.shape[0], rgb.shape[1]), np.uint8)
    for i in range(rgb.shape[0]):
        for j in range(rgb.shape[1]):
            r, g, b = int(rgb[i, j, 0]), int(rgb[i, j, 1]), int(rgb[i, j, 2])
            out[i, j] = (299 * r + 587 * g + 114 * b + 500) // 1000
    return out


@program(lambda: images())
@somd
def halve(image: A) -> np.ndarray:
    out = np.zeros((image.shape[0] // 2, image.shape[1] // 2), image.dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0
            for k in range(4):
                s += int(image[2 * i + k // 2, 2 * j + k % 2])
            out[i, j] = s // 4
    return out


@program(lambda: images(dtype=np.float64))
@somd
def median_of_three(image: A) -> np.ndarray:
    out = image.copy()
    for i in range(image.shape[0]):
        for j in range(1, image.shape[1] - 1):
            x, y, z = image[i, j - 1], image[i, j], image[i, j + 1]
            out[i, j] = max(min(x, y), min(max(x, y), z))
    return out


@program(lambda: [(*case, 1) for case in images()] + [(*case, 2) for case in images()])
@somd
def dilate(image: A, radius: int) -> np.ndarray:
    out = np.zeros_like(image)
    for i in range(image.shape[0]):
        for j in range(radius, image.shape[1] - radius):
            best = image[i, j]
            for k in range(-radius, radius + 1):
                if image[i, j + k] > best:
                    best = image[i, j + k]
            out[i, j] = best
    return out


@program(
    lambda: [(numbers(n, dtype=d, low=-128, high=255), 300 - n) for d in (np.int8, np.uint8) for n in (0, 7, 131)],
    numpy="2.1",
)
@somd
def clipped_to_other_ranges(image: A, k: int) -> np.ndarray:
    """Python's ints beyond the elements' type bound nothing, as in NumPy."""
    out = np.zeros((7, len(image)))
    for i in range(len(image)):
        out[0, i] = np.clip(image[i], -1000, 255)
        out[1, i] = np.clip(image[i], i - 400, k)
        out[2, i] = np.clip(image[i], -300, 100)
        out[3, i] = np.clip(image[i], -129 - i, 2.5)
        out[4, i] = np.clip(image[i], np.int16(-200), 2**40)
        out[5, i] = np.clip(image[i], np.float32(-3.5), k)
        out[6, i] = np.clip(np.int64(image[i]), -20, k)
    return out
