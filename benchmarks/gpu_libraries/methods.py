"""The methods that are compared with libraries of arrays: loops as a user would write them."""

from __future__ import annotations

import numpy as np

from somd import dist, somd


@somd
def vecmat(x: np.ndarray, A: np.ndarray, y: dist[np.ndarray]) -> None:
    """y = x A"""
    for j in range(A.shape[1]):
        total = 0.0
        for i in range(A.shape[0]):
            total += x[i] * A[i, j]
        y[j] = total


@somd
def transpose(A: np.ndarray, B: dist[np.ndarray]) -> None:
    """B = A^T"""
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] = A[j, i]


@somd
def total(a: dist[np.ndarray]) -> float:
    """The sum of the elements."""
    found = 0.0
    for i in range(len(a)):
        found += a[i]
    return found


@somd
def argmax(a: dist[np.ndarray]) -> int:
    """The first place of the largest element."""
    largest = a[0]
    at = 0
    for i in range(len(a)):
        if a[i] > largest:
            largest = a[i]
            at = i
    return at


@somd
def softmax(x: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    """The exponentials of each row, divided by their sum."""
    for r in range(x.shape[0]):
        largest = x[r, 0]
        for k in range(x.shape[1]):
            largest = max(largest, x[r, k])
        whole = 0.0
        for k in range(x.shape[1]):
            out[r, k] = np.exp(x[r, k] - largest)
            whole += out[r, k]
        for k in range(x.shape[1]):
            out[r, k] /= whole


@somd
def rows(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray, y: dist[np.ndarray]) -> None:
    """y = A x, the rows of A compressed: row i is column and value from start[i] to start[i + 1]."""
    for i in range(len(y)):
        found = 0.0
        for k in range(start[i], start[i + 1]):
            found += value[k] * x[column[k]]
        y[i] = found


@somd
def attraction(position: np.ndarray, mass: np.ndarray, pull: dist[np.ndarray], softening: float) -> None:
    """How each body is accelerated by all."""
    for i in range(position.shape[0]):
        x = y = z = 0.0
        for j in range(position.shape[0]):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            square = dx * dx + dy * dy + dz * dz + softening
            force = mass[j] / (square * np.sqrt(square))
            x += dx * force
            y += dy * force
            z += dz * force
        pull[i, 0] = x
        pull[i, 1] = y
        pull[i, 2] = z


@somd
def labels(point: np.ndarray, centre: np.ndarray, label: dist[np.ndarray]) -> None:
    """The nearest centre of each point, as k-means asks."""
    for i in range(len(label)):
        best = np.inf
        for c in range(centre.shape[0]):
            distance = 0.0
            for d in range(centre.shape[1]):
                distance += (point[i, d] - centre[c, d]) ** 2
            if distance < best:
                best = distance
                label[i] = c


@somd
def matmul(A: np.ndarray, B: np.ndarray, C: dist[np.ndarray]) -> None:
    """C = A B"""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            found = 0.0
            for k in range(A.shape[1]):
                found += A[i, k] * B[k, j]
            C[i, j] = found


@somd
def shortest(path: dist[np.ndarray]) -> None:
    """The lengths of the shortest paths between all pairs of nodes, by Floyd and Warshall."""
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            for j in range(path.shape[0]):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
