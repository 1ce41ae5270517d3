"""The Mandelbrot set

Points inside the set take the most steps, so rows cost very different times. `Chunked` cuts them into more method
instances than there are workers.

Prints:

    22.2% of the points stay; wrote mandelbrot.png
"""

import struct
import zlib
from pathlib import Path
from typing import Annotated

import numpy as np

from somd import Chunked, dist, partition, somd


@somd
def mandelbrot(steps: Annotated[np.ndarray, dist, partition(Chunked)], limit: int) -> None:
    rows, columns = steps.shape
    for i in range(rows):
        for j in range(columns):
            cx = -2.0 + 2.75 * j / columns
            cy = -1.25 + 2.5 * i / rows
            x = 0.0
            y = 0.0
            k = 0
            while k < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                k += 1
            steps[i, j] = k


def png(rgb: np.ndarray) -> bytes:
    """The PNG file of a picture, an array of uint8 with the axes row, column and colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns, _ = rgb.shape
    lines = b"".join(b"\0" + line.tobytes() for line in rgb)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines, 9)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def coloured(steps: np.ndarray, limit: int) -> np.ndarray:
    """Black inside the set, from blue to white around it."""
    share = np.sqrt(steps / limit)[..., np.newaxis]
    colours = 255.0 * np.minimum(1.0, share * np.array([1.0, 1.6, 2.8]) + np.array([0.0, 0.05, 0.2]))
    return np.asarray(np.where(steps[..., np.newaxis] == limit, 0.0, colours), np.uint8)


def main(file: str = "mandelbrot.png") -> None:
    limit = 200
    steps = np.zeros((480, 528), np.int32)
    mandelbrot(steps, limit)
    Path(file).write_bytes(png(coloured(steps, limit)))
    print(f"{np.mean(steps == limit):.1%} of the points stay; wrote {Path(file).name}")


if __name__ == "__main__":
    main()
