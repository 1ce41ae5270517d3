"""Signals and codes: stockham_fft, deriche, crc16."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def stockham_fft(signal: Array, levels: int) -> np.ndarray:
    """The Fourier transform of 2^levels numbers by Stockham's method, which needs no reversal of bits."""
    x = signal.copy()
    y = np.empty_like(signal)
    half = 1
    stride = len(signal) // 2
    for _ in range(levels):
        for j in range(half):
            angle = -np.pi * j / half
            factor = complex(np.cos(angle), np.sin(angle))
            for k in range(stride):  # prange
                a = x[2 * j * stride + k]
                b = factor * x[(2 * j + 1) * stride + k]
                y[j * stride + k] = a + b
                y[(j + half) * stride + k] = a - b
        x, y = y, x
        half *= 2
        stride //= 2
    return x


def stockham_fft_port(signal: np.ndarray, levels: int) -> np.ndarray:
    """One loop over all pairs, so that each level is one region."""
    x = signal.copy()
    y = np.empty_like(signal)
    half = 1
    stride = len(signal) // 2
    for _ in range(levels):
        for pair in range(half * stride):  # prange
            j = pair // stride
            k = pair - j * stride
            angle = -np.pi * j / half
            factor = complex(np.cos(angle), np.sin(angle))
            a = x[2 * j * stride + k]
            b = factor * x[(2 * j + 1) * stride + k]
            y[j * stride + k] = a + b
            y[(j + half) * stride + k] = a - b
        x, y = y, x
        half *= 2
        stride //= 2
    return x


def stockham_fft_numpy(signal: np.ndarray, levels: int) -> np.ndarray:
    return np.fft.fft(signal)


def stockham_fft_arrays(signal: np.ndarray, levels: int) -> np.ndarray:
    x, y = signal.copy(), np.empty_like(signal)
    half, stride = 1, len(signal) // 2
    for _ in range(levels):
        for j in range(half):
            angle = -np.pi * j / half
            left = x[2 * j * stride : (2 * j + 1) * stride]
            right = complex(np.cos(angle), np.sin(angle)) * x[(2 * j + 1) * stride : (2 * j + 2) * stride]
            y[j * stride : (j + 1) * stride] = left + right
            y[(j + half) * stride : (j + half + 1) * stride] = left - right
        x, y = y, x
        half, stride = 2 * half, stride // 2
    return x


def samples(random: Random, levels: int) -> tuple[Any, ...]:
    n = 2**levels
    return random.random(n) + 1j * random.random(n), levels


def deriche(image: Array, alpha: float) -> np.ndarray:
    """Deriche's recursive filter, which smooths an image along both axes, each to and fro."""
    w, h = image.shape
    forth = np.empty_like(image)
    back = np.empty_like(image)
    out = np.empty_like(image)
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0**-alpha
    b2 = -np.exp(-2.0 * alpha)
    for i in range(w):  # prange
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        for j in range(h):
            forth[i, j] = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1 = image[i, j]
            y2 = y1
            y1 = forth[i, j]
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        x2 = 0.0
        for j in range(h - 1, -1, -1):
            back[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2 = x1
            x1 = image[i, j]
            y2 = y1
            y1 = back[i, j]
        for j in range(h):
            out[i, j] = forth[i, j] + back[i, j]
    for j in range(h):  # prange
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        for i in range(w):
            forth[i, j] = a1 * out[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1 = out[i, j]
            y2 = y1
            y1 = forth[i, j]
        y1 = 0.0
        y2 = 0.0
        x1 = 0.0
        x2 = 0.0
        for i in range(w - 1, -1, -1):
            back[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2 = x1
            x1 = out[i, j]
            y2 = y1
            y1 = back[i, j]
        for i in range(w):
            out[i, j] = forth[i, j] + back[i, j]
    return out


def deriche_numpy(image: np.ndarray, alpha: float) -> np.ndarray:
    e = np.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + 2.0 * alpha * e - np.exp(2.0 * alpha))
    a1, a2, a3, a4, b1, b2 = k, k * e * (alpha - 1.0), k * e * (alpha + 1.0), -k * e**2, 2.0**-alpha, -(e**2)

    def filtered(lines: np.ndarray) -> np.ndarray:
        """Along the first axis."""
        forth, back = np.empty_like(lines), np.empty_like(lines)
        y1 = y2 = x1 = x2 = np.zeros(lines.shape[1])
        for i in range(len(lines)):
            forth[i] = a1 * lines[i] + a2 * x1 + b1 * y1 + b2 * y2
            x1, y2, y1 = lines[i], y1, forth[i]
        y1 = y2 = x1 = x2 = np.zeros(lines.shape[1])
        for i in range(len(lines) - 1, -1, -1):
            back[i] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2, x1, y2, y1 = x1, lines[i], y1, back[i]
        return forth + back

    return filtered(np.ascontiguousarray(filtered(np.ascontiguousarray(image.T)).T))


def deriche_arrays(image: np.ndarray, alpha: float) -> np.ndarray:
    e = np.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + 2.0 * alpha * e - np.exp(2.0 * alpha))
    a1, a2, a3, a4, b1, b2 = k, k * e * (alpha - 1.0), k * e * (alpha + 1.0), -k * e**2, 2.0**-alpha, -(e**2)

    w, h = image.shape
    forth, back = np.empty_like(image), np.empty_like(image)
    forth[:, 0] = a1 * image[:, 0]
    forth[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * forth[:, 0]
    for j in range(2, h):
        forth[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * forth[:, j - 1] + b2 * forth[:, j - 2]
    back[:, h - 1] = 0.0
    back[:, h - 2] = a3 * image[:, h - 1]
    for j in range(h - 3, -1, -1):
        back[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * back[:, j + 1] + b2 * back[:, j + 2]
    out = forth + back
    forth[0] = a1 * out[0]
    forth[1] = a1 * out[1] + a2 * out[0] + b1 * forth[0]
    for i in range(2, w):
        forth[i] = a1 * out[i] + a2 * out[i - 1] + b1 * forth[i - 1] + b2 * forth[i - 2]
    back[w - 1] = 0.0
    back[w - 2] = a3 * out[w - 1]
    for i in range(w - 3, -1, -1):
        back[i] = a3 * out[i + 1] + a4 * out[i + 2] + b1 * back[i + 1] + b2 * back[i + 2]
    return forth + back


def photograph(random: Random, w: int, h: int) -> tuple[Any, ...]:
    return random.random((w, h)), 0.25


def crc16(message: Array, polynomial: int) -> np.ndarray:
    """The checksum of each row of bytes, bit by bit: CRC-16 with its polynomial mirrored."""
    out = np.zeros(len(message), dtype=np.int64)
    for m in range(len(message)):  # prange
        crc = 0xFFFF
        for k in range(message.shape[1]):
            byte = int(message[m, k])
            for _ in range(8):
                if (crc & 1) ^ (byte & 1):
                    crc = (crc >> 1) ^ polynomial
                else:
                    crc >>= 1
                byte >>= 1
        crc = ~crc & 0xFFFF
        out[m] = ((crc << 8) | (crc >> 8)) & 0xFFFF
    return out


def crc16_numpy(message: np.ndarray, polynomial: int) -> np.ndarray:
    table = np.arange(256)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ polynomial, table >> 1)
    crc = np.full(len(message), 0xFFFF)
    for k in range(message.shape[1]):
        crc = (crc >> 8) ^ table[(crc ^ message[:, k]) & 0xFF]
    crc = ~crc & 0xFFFF
    return ((crc << 8) | (crc >> 8)) & 0xFFFF


def messages(random: Random, count: int, length: int) -> tuple[Any, ...]:
    return random.integers(0, 256, (count, length), dtype=np.uint8), 0x8408


KERNELS = (
    Kernel(
        stockham_fft,
        stockham_fft_numpy,
        samples,
        (4,),
        S=(12,),
        M=(18,),
        L=(22,),
        bits=False,
        port=stockham_fft_port,
        arrays=stockham_fft_arrays,
    ),
    Kernel(
        deriche,
        deriche_numpy,
        photograph,
        (6, 7),
        S=(400, 200),
        M=(1500, 1200),
        L=(4000, 4000),
        bits=False,
        arrays=deriche_arrays,
    ),
    Kernel(crc16, crc16_numpy, messages, (5, 6), S=(200, 200), M=(2000, 500), L=(10000, 2000)),
)
