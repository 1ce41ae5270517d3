"""Patterns, md: for each particle the forces of its neighbours that are near (the Lennard-Jones kernel of SHOC).

`neighbours[k, i]` is the k-th neighbour of particle i, so that a device reads those of many particles side by side.
"""

import numpy as np

from somd import dist, somd


@somd
def forces(position: dist[np.ndarray], neighbours: dist[np.ndarray], cutoff: float) -> np.ndarray:
    out = np.zeros_like(position)
    for i in range(position.shape[0]):
        x = y = z = 0.0
        for k in range(neighbours.shape[0]):
            j = neighbours[k, i]
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            distance = dx * dx + dy * dy + dz * dz
            if distance < cutoff:
                near = 1.0 / distance
                sixth = near * near * near
                force = near * sixth * (1.5 * sixth - 2.0)
                x += dx * force
                y += dy * force
                z += dz * force
        out[i, 0] = x
        out[i, 1] = y
        out[i, 2] = z
    return out
