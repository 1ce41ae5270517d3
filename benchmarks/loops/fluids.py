"""Flows, weather: cavity_flow, channel_flow, hdiff, vadv."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loops.kernel import Array, Kernel

Random = np.random.Generator


def cavity_flow(
    steps: int, inner: int, u: Array, v: Array, p: Array, dt: float, dx: float, dy: float, rho: float, nu: float
) -> None:
    """Navier and Stokes' equations in a box whose lid moves; `inner` sweeps of the Poisson equation of p a step."""
    ny, nx = u.shape
    b = np.zeros_like(u)
    un = np.empty_like(u)
    vn = np.empty_like(v)
    pn = np.empty_like(p)
    for _ in range(steps):
        for i in range(ny):  # prange
            for j in range(nx):
                un[i, j] = u[i, j]
                vn[i, j] = v[i, j]
        for i in range(1, ny - 1):  # prange
            for j in range(1, nx - 1):
                ux = (u[i, j + 1] - u[i, j - 1]) / (2.0 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2.0 * dy)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2.0 * dy)
                vx = (v[i, j + 1] - v[i, j - 1]) / (2.0 * dx)
                b[i, j] = rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy)
        for _ in range(inner):
            for i in range(ny):  # prange
                for j in range(nx):
                    pn[i, j] = p[i, j]
            for i in range(1, ny - 1):  # prange
                for j in range(1, nx - 1):
                    p[i, j] = ((pn[i, j + 1] + pn[i, j - 1]) * dy * dy + (pn[i + 1, j] + pn[i - 1, j]) * dx * dx) / (
                        2.0 * (dx * dx + dy * dy)
                    ) - dx * dx * dy * dy / (2.0 * (dx * dx + dy * dy)) * b[i, j]
            for i in range(ny):
                p[i, nx - 1] = p[i, nx - 2]
            for j in range(nx):
                p[0, j] = p[1, j]
            for i in range(ny):
                p[i, 0] = p[i, 1]
            for j in range(nx):
                p[ny - 1, j] = 0.0
        for i in range(1, ny - 1):  # prange
            for j in range(1, nx - 1):
                u[i, j] = (
                    un[i, j]
                    - un[i, j] * dt / dx * (un[i, j] - un[i, j - 1])
                    - vn[i, j] * dt / dy * (un[i, j] - un[i - 1, j])
                    - dt / (2.0 * rho * dx) * (p[i, j + 1] - p[i, j - 1])
                    + nu
                    * (
                        dt / (dx * dx) * (un[i, j + 1] - 2.0 * un[i, j] + un[i, j - 1])
                        + dt / (dy * dy) * (un[i + 1, j] - 2.0 * un[i, j] + un[i - 1, j])
                    )
                )
                v[i, j] = (
                    vn[i, j]
                    - un[i, j] * dt / dx * (vn[i, j] - vn[i, j - 1])
                    - vn[i, j] * dt / dy * (vn[i, j] - vn[i - 1, j])
                    - dt / (2.0 * rho * dy) * (p[i + 1, j] - p[i - 1, j])
                    + nu
                    * (
                        dt / (dx * dx) * (vn[i, j + 1] - 2.0 * vn[i, j] + vn[i, j - 1])
                        + dt / (dy * dy) * (vn[i + 1, j] - 2.0 * vn[i, j] + vn[i - 1, j])
                    )
                )
        for j in range(nx):
            u[0, j] = 0.0
            v[0, j] = 0.0
            u[ny - 1, j] = 1.0
            v[ny - 1, j] = 0.0
        for i in range(ny):
            u[i, 0] = 0.0
            v[i, 0] = 0.0
            u[i, nx - 1] = 0.0 if i < ny - 1 else 1.0
            v[i, nx - 1] = 0.0


def _velocities(
    u: np.ndarray, v: np.ndarray, p: np.ndarray, dt: float, dx: float, dy: float, rho: float, nu: float
) -> tuple[np.ndarray, np.ndarray]:
    """The velocities after a step, of arrays with a border on all sides."""
    here = (slice(1, -1), slice(1, -1))
    west, east = (slice(1, -1), slice(None, -2)), (slice(1, -1), slice(2, None))
    south, north = (slice(None, -2), slice(1, -1)), (slice(2, None), slice(1, -1))

    def moved(w: np.ndarray, pressure: np.ndarray, step: float) -> np.ndarray:
        return (
            w[here]
            - u[here] * dt / dx * (w[here] - w[west])
            - v[here] * dt / dy * (w[here] - w[south])
            - dt / (2.0 * rho * step) * pressure
            + nu
            * (dt / dx**2 * (w[east] - 2.0 * w[here] + w[west]) + dt / dy**2 * (w[north] - 2.0 * w[here] + w[south]))
        )

    return moved(u, p[east] - p[west], dx), moved(v, p[north] - p[south], dy)


def _source(u: np.ndarray, v: np.ndarray, dt: float, dx: float, dy: float, rho: float) -> np.ndarray:
    """The right side of the Poisson equation, of arrays with a border on all sides."""
    ux, uy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx), (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dy)
    vx, vy = (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy)
    return rho * ((ux + vy) / dt - ux**2 - 2.0 * uy * vx - vy**2)


def _relaxed(p: np.ndarray, b: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """The pressures after a sweep, of an array with a border on all sides."""
    both = (p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
    return both / (2.0 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b


def cavity_flow_numpy(
    steps: int, inner: int, u: Any, v: Any, p: Any, dt: float, dx: float, dy: float, rho: float, nu: float
) -> None:
    for _ in range(steps):
        b = _source(u, v, dt, dx, dy, rho)
        for _ in range(inner):
            p[1:-1, 1:-1] = _relaxed(p, b, dx, dy)
            p[:, -1] = p[:, -2]
            p[0] = p[1]
            p[:, 0] = p[:, 1]
            p[-1] = 0.0
        u[1:-1, 1:-1], v[1:-1, 1:-1] = _velocities(u, v, p, dt, dx, dy, rho, nu)
        u[0], u[:, 0], u[:, -1] = 0.0, 0.0, 0.0
        u[-1], v[0], v[-1], v[:, 0], v[:, -1] = 1.0, 0.0, 0.0, 0.0, 0.0
        u[-1, 0] = 0.0


def box(random: Random, n: int, steps: int, inner: int) -> tuple[Any, ...]:
    step = 2.0 / (n - 1)
    return steps, inner, *(np.zeros((n, n)) for _ in range(3)), 0.1 / steps, step, step, 1.0, 0.1


def channel_flow(
    steps: int,
    inner: int,
    u: Array,
    v: Array,
    p: Array,
    dt: float,
    dx: float,
    dy: float,
    rho: float,
    nu: float,
    F: float,
) -> int:
    """Flow between two plates, driven by the force F, periodic along them, until it changes by less than 1e-4.

    Returns the steps taken, `steps` at most.
    """
    ny, nx = u.shape
    b = np.zeros_like(u)
    un = np.empty_like(u)
    vn = np.empty_like(v)
    pn = np.empty_like(p)
    taken = 0
    change = 1.0
    while change > 1e-4 and taken < steps:
        for i in range(ny):  # prange
            for j in range(nx):
                un[i, j] = u[i, j]
                vn[i, j] = v[i, j]
        for i in range(1, ny - 1):  # prange
            for j in range(nx):
                east = j + 1 if j < nx - 1 else 0
                west = j - 1 if j > 0 else nx - 1
                ux = (u[i, east] - u[i, west]) / (2.0 * dx)
                vy = (v[i + 1, j] - v[i - 1, j]) / (2.0 * dy)
                uy = (u[i + 1, j] - u[i - 1, j]) / (2.0 * dy)
                vx = (v[i, east] - v[i, west]) / (2.0 * dx)
                b[i, j] = rho * ((ux + vy) / dt - ux * ux - 2.0 * uy * vx - vy * vy)
        for _ in range(inner):
            for i in range(ny):  # prange
                for j in range(nx):
                    pn[i, j] = p[i, j]
            for i in range(1, ny - 1):  # prange
                for j in range(nx):
                    east = j + 1 if j < nx - 1 else 0
                    west = j - 1 if j > 0 else nx - 1
                    p[i, j] = ((pn[i, east] + pn[i, west]) * dy * dy + (pn[i + 1, j] + pn[i - 1, j]) * dx * dx) / (
                        2.0 * (dx * dx + dy * dy)
                    ) - dx * dx * dy * dy / (2.0 * (dx * dx + dy * dy)) * b[i, j]
            for j in range(nx):
                p[ny - 1, j] = p[ny - 2, j]
                p[0, j] = p[1, j]
        for i in range(1, ny - 1):  # prange
            for j in range(nx):
                east = j + 1 if j < nx - 1 else 0
                west = j - 1 if j > 0 else nx - 1
                u[i, j] = (
                    un[i, j]
                    - un[i, j] * dt / dx * (un[i, j] - un[i, west])
                    - vn[i, j] * dt / dy * (un[i, j] - un[i - 1, j])
                    - dt / (2.0 * rho * dx) * (p[i, east] - p[i, west])
                    + nu
                    * (
                        dt / (dx * dx) * (un[i, east] - 2.0 * un[i, j] + un[i, west])
                        + dt / (dy * dy) * (un[i + 1, j] - 2.0 * un[i, j] + un[i - 1, j])
                    )
                    + F * dt
                )
                v[i, j] = (
                    vn[i, j]
                    - un[i, j] * dt / dx * (vn[i, j] - vn[i, west])
                    - vn[i, j] * dt / dy * (vn[i, j] - vn[i - 1, j])
                    - dt / (2.0 * rho * dy) * (p[i + 1, j] - p[i - 1, j])
                    + nu
                    * (
                        dt / (dx * dx) * (vn[i, east] - 2.0 * vn[i, j] + vn[i, west])
                        + dt / (dy * dy) * (vn[i + 1, j] - 2.0 * vn[i, j] + vn[i - 1, j])
                    )
                )
        before = 0.0
        after = 0.0
        for i in range(ny):  # prange
            for j in range(nx):
                before += un[i, j]
                after += u[i, j]
        change = (after - before) / after
        taken += 1
    return taken


def channel_flow_numpy(
    steps: int, inner: int, u: Any, v: Any, p: Any, dt: float, dx: float, dy: float, rho: float, nu: float, F: float
) -> int:
    def around(w: np.ndarray) -> np.ndarray:
        return np.pad(w, ((0, 0), (1, 1)), mode="wrap")

    taken, change = 0, 1.0
    while change > 1e-4 and taken < steps:
        b = _source(around(u), around(v), dt, dx, dy, rho)
        for _ in range(inner):
            p[1:-1] = _relaxed(around(p), b, dx, dy)
            p[-1], p[0] = p[-2], p[1]
        before = u.sum()
        u[1:-1], v[1:-1] = _velocities(around(u), around(v), around(p), dt, dx, dy, rho, nu)
        u[1:-1] += F * dt
        change = (u.sum() - before) / u.sum()
        taken += 1
    return taken


def channel(random: Random, n: int, steps: int, inner: int) -> tuple[Any, ...]:
    step = 2.0 / (n - 1)
    return steps, inner, *(np.zeros((n, n)) for _ in range(3)), 0.1 / steps, step, step, 1.0, 0.1, 1.0


def hdiff(inside: Array, coefficient: Array) -> np.ndarray:
    """Horizontal diffusion of the COSMO model: a limited fourth-order operator; `inside` has borders of two."""
    ni, nj, nk = coefficient.shape
    laplace = np.empty((ni + 2, nj + 2, nk))
    out = np.empty((ni, nj, nk))
    for i in range(ni + 2):  # prange
        for j in range(nj + 2):
            for k in range(nk):
                laplace[i, j, k] = 4.0 * inside[i + 1, j + 1, k] - (
                    inside[i + 2, j + 1, k] + inside[i, j + 1, k] + inside[i + 1, j + 2, k] + inside[i + 1, j, k]
                )
    for i in range(ni):  # prange
        for j in range(nj):
            for k in range(nk):
                east = laplace[i + 2, j + 1, k] - laplace[i + 1, j + 1, k]
                if east * (inside[i + 3, j + 2, k] - inside[i + 2, j + 2, k]) > 0.0:
                    east = 0.0
                west = laplace[i + 1, j + 1, k] - laplace[i, j + 1, k]
                if west * (inside[i + 2, j + 2, k] - inside[i + 1, j + 2, k]) > 0.0:
                    west = 0.0
                north = laplace[i + 1, j + 2, k] - laplace[i + 1, j + 1, k]
                if north * (inside[i + 2, j + 3, k] - inside[i + 2, j + 2, k]) > 0.0:
                    north = 0.0
                south = laplace[i + 1, j + 1, k] - laplace[i + 1, j, k]
                if south * (inside[i + 2, j + 2, k] - inside[i + 2, j + 1, k]) > 0.0:
                    south = 0.0
                out[i, j, k] = inside[i + 2, j + 2, k] - coefficient[i, j, k] * (east - west + north - south)
    return out


def hdiff_numpy(inside: np.ndarray, coefficient: np.ndarray) -> np.ndarray:
    laplace = 4.0 * inside[1:-1, 1:-1] - (inside[2:, 1:-1] + inside[:-2, 1:-1] + inside[1:-1, 2:] + inside[1:-1, :-2])
    across = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    across[across * (inside[2:-1, 2:-2] - inside[1:-2, 2:-2]) > 0.0] = 0.0
    along = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    along[along * (inside[2:-2, 2:-1] - inside[2:-2, 1:-2]) > 0.0] = 0.0
    return inside[2:-2, 2:-2] - coefficient * (across[1:] - across[:-1] + along[:, 1:] - along[:, :-1])


def hdiff_inputs(random: Random, ni: int, nj: int, nk: int) -> tuple[Any, ...]:
    return random.random((ni + 4, nj + 4, nk)), random.random((ni, nj, nk))


def vadv(tend: Array, stage: Array, wcon: Array, pos: Array, own: Array, dtr: float) -> None:
    """Vertical advection of the COSMO model: a tridiagonal system in each column of air; `tend` is written."""
    ni, nj, nk = tend.shape
    ccol = np.zeros((ni, nj, nk))
    dcol = np.zeros((ni, nj, nk))
    for i in range(ni):  # prange
        for j in range(nj):
            gcv = 0.25 * (wcon[i + 1, j, 1] + wcon[i, j, 1])
            cs = gcv * 0.5
            bcol = dtr - cs
            ccol[i, j, 0] = cs / bcol
            correction = -cs * (stage[i, j, 1] - stage[i, j, 0])
            dcol[i, j, 0] = (dtr * pos[i, j, 0] + own[i, j, 0] + tend[i, j, 0] + correction) / bcol
            for k in range(1, nk - 1):
                gav = -0.25 * (wcon[i + 1, j, k] + wcon[i, j, k])
                gcv = 0.25 * (wcon[i + 1, j, k + 1] + wcon[i, j, k + 1])
                acol = gav * 0.5
                cs = gcv * 0.5
                bcol = dtr - acol - cs
                correction = -acol * (stage[i, j, k - 1] - stage[i, j, k]) - cs * (stage[i, j, k + 1] - stage[i, j, k])
                right = dtr * pos[i, j, k] + own[i, j, k] + tend[i, j, k] + correction
                divided = 1.0 / (bcol - ccol[i, j, k - 1] * acol)
                ccol[i, j, k] = cs * divided
                dcol[i, j, k] = (right - dcol[i, j, k - 1] * acol) * divided
            gav = -0.25 * (wcon[i + 1, j, nk - 1] + wcon[i, j, nk - 1])
            acol = gav * 0.5
            bcol = dtr - acol
            correction = -acol * (stage[i, j, nk - 2] - stage[i, j, nk - 1])
            right = dtr * pos[i, j, nk - 1] + own[i, j, nk - 1] + tend[i, j, nk - 1] + correction
            divided = 1.0 / (bcol - ccol[i, j, nk - 2] * acol)
            dcol[i, j, nk - 1] = (right - dcol[i, j, nk - 2] * acol) * divided
            data = dcol[i, j, nk - 1]
            tend[i, j, nk - 1] = dtr * (data - pos[i, j, nk - 1])
            for k in range(nk - 2, -1, -1):
                data = dcol[i, j, k] - ccol[i, j, k] * data
                tend[i, j, k] = dtr * (data - pos[i, j, k])


def vadv_numpy(
    tend: np.ndarray, stage: np.ndarray, wcon: np.ndarray, pos: np.ndarray, own: np.ndarray, dtr: float
) -> None:
    nk = tend.shape[2]
    between = 0.125 * (wcon[1:, :, 1:] + wcon[:-1, :, 1:])
    ccol, dcol = np.zeros_like(tend), np.zeros_like(tend)
    for k in range(nk):
        a = -between[:, :, k - 1] if k else 0.0
        c = between[:, :, k] if k < nk - 1 else 0.0
        right = dtr * pos[:, :, k] + own[:, :, k] + tend[:, :, k]
        if k:
            right -= a * (stage[:, :, k - 1] - stage[:, :, k])
        if k < nk - 1:
            right -= c * (stage[:, :, k + 1] - stage[:, :, k])
        below = dtr - a - c - (ccol[:, :, k - 1] * a if k else 0.0)
        ccol[:, :, k] = c / below
        dcol[:, :, k] = (right - (dcol[:, :, k - 1] * a if k else 0.0)) / below
    data = 0.0
    for k in range(nk - 1, -1, -1):
        data = dcol[:, :, k] - ccol[:, :, k] * data
        tend[:, :, k] = dtr * (data - pos[:, :, k])


def vadv_arrays(
    tend: np.ndarray, stage: np.ndarray, wcon: np.ndarray, pos: np.ndarray, own: np.ndarray, dtr: float
) -> None:
    nk = tend.shape[2]
    ccol, dcol = np.zeros_like(tend), np.zeros_like(tend)
    cs = 0.125 * (wcon[1:, :, 1] + wcon[:-1, :, 1])
    right = dtr * pos[:, :, 0] + own[:, :, 0] + tend[:, :, 0] - cs * (stage[:, :, 1] - stage[:, :, 0])
    ccol[:, :, 0] = cs / (dtr - cs)
    dcol[:, :, 0] = right / (dtr - cs)
    for k in range(1, nk - 1):
        acol = -0.125 * (wcon[1:, :, k] + wcon[:-1, :, k])
        cs = 0.125 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        right = dtr * pos[:, :, k] + own[:, :, k] + tend[:, :, k]
        right -= acol * (stage[:, :, k - 1] - stage[:, :, k])
        right -= cs * (stage[:, :, k + 1] - stage[:, :, k])
        below = dtr - acol - cs - ccol[:, :, k - 1] * acol
        ccol[:, :, k] = cs / below
        dcol[:, :, k] = (right - dcol[:, :, k - 1] * acol) / below
    acol = -0.125 * (wcon[1:, :, nk - 1] + wcon[:-1, :, nk - 1])
    right = dtr * pos[:, :, nk - 1] + own[:, :, nk - 1] + tend[:, :, nk - 1]
    right -= acol * (stage[:, :, nk - 2] - stage[:, :, nk - 1])
    data = (right - dcol[:, :, nk - 2] * acol) / (dtr - acol - ccol[:, :, nk - 2] * acol)
    tend[:, :, nk - 1] = dtr * (data - pos[:, :, nk - 1])
    for k in range(nk - 2, -1, -1):
        data[:] = dcol[:, :, k] - ccol[:, :, k] * data
        tend[:, :, k] = dtr * (data - pos[:, :, k])


def columns(random: Random, ni: int, nj: int, nk: int) -> tuple[Any, ...]:
    tend, stage, pos, own = (random.random((ni, nj, nk)) for _ in range(4))
    return tend, stage, random.random((ni + 1, nj, nk)), pos, own, 3.0 / 20.0 + 1.0


KERNELS = (
    Kernel(cavity_flow, cavity_flow_numpy, box, (7, 2, 3), S=(61, 25, 5), M=(201, 100, 20), L=(501, 200, 50)),
    Kernel(channel_flow, channel_flow_numpy, channel, (7, 3, 3), S=(61, 25, 5), M=(201, 100, 20), L=(501, 200, 50)),
    Kernel(hdiff, hdiff_numpy, hdiff_inputs, (4, 5, 3), S=(64, 64, 60), M=(256, 256, 80), L=(512, 512, 160)),
    Kernel(
        vadv,
        vadv_numpy,
        columns,
        (4, 5, 6),
        S=(60, 60, 40),
        M=(200, 200, 80),
        L=(400, 400, 160),
        arrays=vadv_arrays,
    ),
)
