"""N-body simulation

Bodies that attract each other, in a class: its methods are SOMD methods that use the object's arrays.

Prints:

    energy -0.1528 at first, -0.1528 after 50 steps
"""

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, somd

SOFTENING = 1e-2


class Cluster:
    position: dist[np.ndarray]
    velocity: dist[np.ndarray]
    mass: dist[np.ndarray]

    def __init__(self, bodies: int, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.position = random.normal(size=(bodies, 3))
        self.velocity = random.normal(size=(bodies, 3)) * 0.3
        self.mass = np.full(bodies, 1.0 / bodies)

    def distance(self, i: int, j: int) -> float:
        dx = self.position[i, 0] - self.position[j, 0]
        dy = self.position[i, 1] - self.position[j, 1]
        dz = self.position[i, 2] - self.position[j, 2]
        return math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)

    @somd
    def kick(self, dt: float) -> None:
        for i in range(len(self.mass)):
            for j in range(len(self.mass)):
                pull = dt * self.mass[j] / self.distance(i, j) ** 3
                for axis in range(3):
                    self.velocity[i, axis] += pull * (self.position[j, axis] - self.position[i, axis])

    @somd
    def drift(self, dt: float) -> None:
        for i in range(len(self.mass)):
            for axis in range(3):
                self.position[i, axis] += dt * self.velocity[i, axis]

    @somd
    def run(self, steps: int, dt: float) -> None:
        for _ in range(steps):
            self.kick(0.5 * dt)
            self.drift(dt)
            self.kick(0.5 * dt)

    @somd
    def energy(self) -> Annotated[float, reduce("+")]:
        total = 0.0
        for i in range(len(self.mass)):
            for axis in range(3):
                total += 0.5 * self.mass[i] * self.velocity[i, axis] ** 2
            for j in range(i):
                total -= self.mass[i] * self.mass[j] / self.distance(i, j)
        return total


def main() -> None:
    cluster = Cluster(200)
    before = cluster.energy()
    cluster.run(50, 0.01)
    print(f"energy {before:.4f} at first, {cluster.energy():.4f} after 50 steps")


if __name__ == "__main__":
    main()
