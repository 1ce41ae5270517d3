"""Physics: nbody, scattering_self_energies, contour_integral, mandelbrot."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def nbody(mass: Array, position: Array, velocity: Array, steps: int, dt: float, softening: float) -> np.ndarray:
    """Bodies that attract each other, by leapfrog steps; the kinetic and the potential energy after each."""
    n = len(mass)
    acceleration = np.zeros((n, 3))
    energy = np.zeros((steps, 2))
    for t in range(-1, steps):
        if t >= 0:
            for i in range(n):  # prange
                for d in range(3):
                    velocity[i, d] += acceleration[i, d] * dt / 2.0
                    position[i, d] += velocity[i, d] * dt
        for i in range(n):  # prange
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + softening * softening
                pull = mass[j] / (square * np.sqrt(square))
                ax += dx * pull
                ay += dy * pull
                az += dz * pull
            acceleration[i, 0] = ax
            acceleration[i, 1] = ay
            acceleration[i, 2] = az
        if t >= 0:
            kinetic = 0.0
            potential = 0.0
            for i in range(n):  # prange
                for d in range(3):
                    velocity[i, d] += acceleration[i, d] * dt / 2.0
                    kinetic += 0.5 * mass[i] * velocity[i, d] * velocity[i, d]
            for i in range(n):  # prange
                for j in range(i + 1, n):
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    potential -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz)
            energy[t, 0] = kinetic
            energy[t, 1] = potential
    return energy


def nbody_numpy(mass: Any, position: Any, velocity: Any, steps: int, dt: float, softening: float) -> np.ndarray:
    n = len(mass)
    energy = np.zeros((steps, 2))
    upper = np.triu_indices(n, 1)

    def squares_and_pulls() -> tuple[np.ndarray, np.ndarray]:
        apart = position[None, :, :] - position[:, None, :]
        squares = (apart**2).sum(axis=2)
        pulls = (squares + softening**2) ** -1.5
        return squares, np.einsum("ijd,ij,j->id", apart, pulls, mass)

    _, acceleration = squares_and_pulls()
    for t in range(steps):
        velocity += acceleration * dt / 2.0
        position += velocity * dt
        squares, acceleration = squares_and_pulls()
        velocity += acceleration * dt / 2.0
        energy[t, 0] = 0.5 * (mass[:, None] * velocity**2).sum()
        energy[t, 1] = -(mass[upper[0]] * mass[upper[1]] / np.sqrt(squares[upper])).sum()
    return energy


def bodies(random: Random, n: int, steps: int) -> tuple[Any, ...]:
    return 20.0 * random.random(n) / n, random.normal(size=(n, 3)), random.normal(size=(n, 3)), steps, 0.01, 0.1


def scattering_self_energies(neighbour: Array, dH: Array, G: Array, D: Array, sigma: Array) -> None:
    """Electrons scattered by phonons: what each energy of each atom gets from its neighbours' lower energies."""
    momenta, energies, atoms, orbitals, _ = G.shape
    for k in range(momenta):  # prange
        for e in range(energies):
            for a in range(atoms):
                left = np.zeros((orbitals, orbitals), dtype=np.complex128)
                right = np.zeros((orbitals, orbitals), dtype=np.complex128)
                for q in range(D.shape[0]):
                    for w in range(min(D.shape[1], e + 1)):
                        for b in range(dH.shape[1]):
                            for i in range(3):
                                for x in range(orbitals):
                                    for y in range(orbitals):
                                        left[x, y] = 0.0
                                        for z in range(orbitals):
                                            left[x, y] += G[k, e - w, neighbour[a, b], x, z] * dH[a, b, i, z, y]
                                for j in range(3):
                                    for x in range(orbitals):
                                        for y in range(orbitals):
                                            right[x, y] = dH[a, b, j, x, y] * D[q, w, a, b, i, j]
                                    for x in range(orbitals):
                                        for y in range(orbitals):
                                            for z in range(orbitals):
                                                sigma[k, e, a, x, y] += left[x, z] * right[z, y]


def scattering_self_energies_numpy(neighbour: Any, dH: Any, G: Any, D: Any, sigma: Any) -> None:
    for w in range(min(D.shape[1], G.shape[1])):
        left = np.einsum("keabxz,abizy->keabixy", G[:, : G.shape[1] - w][:, :, neighbour], dH, optimize=True)
        right = np.einsum("abjxy,qabij->abixy", dH, D[:, w], optimize=True)
        sigma[:, w:] += np.einsum("keabixz,abizy->keaxy", left, right, optimize=True)


def scatterers(random: Random, momenta: int, energies: int, phonons: int, atoms: int, near: int, orbitals: int) -> Any:
    def complex_of(*shape: int) -> np.ndarray:
        return random.random(shape) + 1j * random.random(shape)

    return (
        random.integers(0, atoms, (atoms, near)),
        complex_of(atoms, near, 3, orbitals, orbitals),
        complex_of(momenta, energies, atoms, orbitals, orbitals),
        complex_of(momenta, phonons, atoms, near, 3, 3),
        np.zeros((momenta, energies, atoms, orbitals, orbitals), dtype=np.complex128),
    )


def contour_integral(H: Array, points: Array, Y: Array) -> tuple[np.ndarray, np.ndarray]:
    """The sums of X and z X over the points z of a contour, where (sum of z^(s - n) H[n]) X = Y."""
    slabs, n, _ = H.shape
    m = Y.shape[1]
    X = np.zeros((len(points), n, m), dtype=np.complex128)
    for c in range(len(points)):  # prange
        T = np.zeros((n, n), dtype=np.complex128)
        power = 1.0 + 0j
        for s in range(slabs):
            for i in range(n):
                for j in range(n):
                    T[i, j] += power * H[s, i, j]
            power *= points[c]
        for i in range(n):
            for j in range(m):
                X[c, i, j] = Y[i, j]
        for k in range(n):
            for i in range(k + 1, n):
                factor = T[i, k] / T[k, k]
                for j in range(k, n):
                    T[i, j] -= factor * T[k, j]
                for j in range(m):
                    X[c, i, j] -= factor * X[c, k, j]
        for i in range(n - 1, -1, -1):
            for j in range(m):
                for k in range(i + 1, n):
                    X[c, i, j] -= T[i, k] * X[c, k, j]
                X[c, i, j] /= T[i, i]
    P0 = np.zeros((n, m), dtype=np.complex128)
    P1 = np.zeros((n, m), dtype=np.complex128)
    for i in range(n):  # prange
        for j in range(m):
            for c in range(len(points)):
                P0[i, j] += X[c, i, j]
                P1[i, j] += points[c] * X[c, i, j]
    return P0, P1


def contour_integral_numpy(H: np.ndarray, points: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    powers = points[:, None] ** np.arange(len(H))
    X = np.linalg.solve(np.einsum("cs,sij->cij", powers, H), Y)
    return X.sum(axis=0), (points[:, None, None] * X).sum(axis=0)


def contour(random: Random, n: int, m: int, slabs: int, count: int) -> tuple[Any, ...]:
    H = random.random((slabs, n, n)) + 1j * random.random((slabs, n, n))
    H[0] += 3.0 * n * slabs * np.eye(n)
    return H, np.exp(2j * np.pi * random.random(count)), random.random((n, m)) + 1j * random.random((n, m))


def mandelbrot(width: int, height: int, turns: int) -> np.ndarray:
    """How many steps of z^2 + c stay within 2, for each c of a grid."""
    count = np.zeros((height, width), dtype=np.int64)
    for i in range(height):  # prange
        for j in range(width):
            cx = -2.25 + 3.0 * j / width
            cy = -1.25 + 2.5 * i / height
            x = 0.0
            y = 0.0
            k = 0
            while k < turns and x * x + y * y <= 4.0:
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                k += 1
            count[i, j] = k
    return count


def mandelbrot_numpy(width: int, height: int, turns: int) -> np.ndarray:
    cx = np.broadcast_to(-2.25 + 3.0 * np.arange(width) / width, (height, width)).ravel()
    cy = np.repeat(-1.25 + 2.5 * np.arange(height) / height, width)
    count = np.zeros(height * width, dtype=np.int64)
    at, x, y = np.arange(height * width), np.zeros(height * width), np.zeros(height * width)
    for _ in range(turns):
        inside = x * x + y * y <= 4.0
        at, x, y = at[inside], x[inside], y[inside]
        count[at] += 1
        x, y = x * x - y * y + cx[at], 2.0 * x * y + cy[at]
    return count.reshape(height, width)


def picture(random: Random, width: int, height: int, turns: int) -> tuple[Any, ...]:
    return width, height, turns


KERNELS = (
    Kernel(nbody, nbody_numpy, bodies, (7, 2), S=(100, 10), M=(1000, 10), L=(4000, 20), bits=False),
    Kernel(
        scattering_self_energies,
        scattering_self_energies_numpy,
        scatterers,
        (2, 3, 2, 3, 2, 2),
        S=(2, 4, 2, 6, 2, 3),
        M=(4, 10, 4, 16, 4, 4),
        L=(6, 20, 6, 24, 4, 6),
    ),
    Kernel(
        contour_integral,
        contour_integral_numpy,
        contour,
        (5, 3, 2, 4),
        S=(25, 15, 2, 32),
        M=(100, 60, 2, 32),
        L=(200, 120, 2, 64),
        bits=False,  # Numba, which the reference is compiled by, divides complex numbers otherwise
    ),
    Kernel(mandelbrot, mandelbrot_numpy, picture, (9, 7, 6), S=(120, 100, 100), M=(600, 500, 200), L=(2000, 2000, 200)),
)
