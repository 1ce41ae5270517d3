"""Runs of hand-written kernels, on every device that is there."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from somd.errors import SomdRuntimeError
from somd.runtime.opencl import Device, Run, count_transfers, enqueue, to_device


def small(device: Device, size: int) -> int:
    """Oclgrind interprets every instruction."""
    return min(size, 300) if device.info.kind == "simulator" else size


def test_vector_add(run: Run, device: Device) -> None:
    n = small(device, 100_003)
    a, b = np.arange(n) * 0.5, np.arange(n) + 0.25
    c = run.empty(n, np.float64)
    with count_transfers() as seen:
        ma, mb = run.array(a), run.array(b)
        run.launch("add", (n,), (ma, mb, c, n), reads=(ma, mb), writes=(c,))
        run.finish((c,))
        assert (seen.uploads, seen.downloads) == (2, 0)
        result = run.result(c)
    assert np.array_equal(result, a + b)
    assert (seen.uploads, seen.downloads, seen.uploaded_bytes, seen.downloaded_bytes) == (2, 1, 16 * n, 8 * n)


def stencil(G: np.ndarray, steps: int) -> None:
    for p in range(steps):
        for i in range(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])


def sweep(run: Run, G: np.ndarray, steps: int) -> None:
    m, n = G.shape
    grid = run.array(G)
    for p in range(steps):
        run.launch("half_sweep", (n - 2, m - 2), (grid, m, n, p), reads=(grid,), writes=(grid,))
    run.finish((grid,))


def test_few_launches_wait_in_the_queue(run: Run, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("somd.runtime.opencl.context.MOST_WAITING", 3)
    start = np.random.default_rng(1).random((6, 7))
    expected, grid = start.copy(), start.copy()
    stencil(expected, 10)
    waited: list[None] = []
    finish = run.context.finish
    monkeypatch.setattr(run.context, "finish", lambda: (waited.append(None), finish())[1])
    sweep(run, grid, 10)
    assert np.array_equal(grid, expected) and len(waited) >= 4


@pytest.mark.parametrize("layout", ["C", "F", "strided", "swapped"])
def test_stencil_of_any_layout_is_exact_and_moves_once(run: Run, device: Device, layout: str) -> None:
    m, n = small(device, 61) // 12 + 3, small(device, 45) // 9 + 3
    start = np.random.default_rng(1).random((m, n))
    expected = start.copy()
    stencil(expected, 6)
    if layout == "strided":
        G = np.zeros((2 * m, 3 * n))[::2, ::-3]
        G[...] = start
    else:
        G = np.array(start, order="F" if layout == "F" else "C", dtype=">f8" if layout == "swapped" else "f8")
    with count_transfers() as seen:
        sweep(run, G, 6)
    assert np.array_equal(G, expected)
    assert (seen.uploads, seen.downloads) == (1, 1)


def test_reduction_with_local_memory(run: Run, device: Device) -> None:
    n, groups, local = small(device, 40_000), 4, 64
    a = np.random.default_rng(2).random(n)
    data, partials = run.array(a), run.empty(groups, np.float64)
    run.launch_groups("partial_sums", groups, local, (data, partials, n), reads=(data,), writes=(partials,))
    first = partials.to_host().copy()
    assert np.isclose(first.sum(), a.sum(), rtol=1e-12)
    run.launch_groups("partial_sums", groups, local, (data, partials, n), reads=(data,), writes=(partials,))
    assert np.array_equal(first, partials.to_host())


def test_no_contraction(run: Run) -> None:
    a = np.full(64, 1.0 + 2.0**-30)
    pairs = np.concatenate([a, a * a])
    data, out = run.array(pairs), run.empty(64, np.float64)
    run.launch("contraction", (64,), (data, out, 64), reads=(data,), writes=(out,))
    assert not out.to_host().any()


def test_singles_are_rounded_as_numpy_rounds(run: Run, device: Device) -> None:
    if device.info.kind == "gpu" and not device.info.rounds_singles:
        pytest.skip("the device cannot")
    random = np.random.default_rng(3)
    a, b = random.random(256, dtype=np.float32), random.random(256, dtype=np.float32)
    ma, mb, c = run.array(a), run.array(b), run.empty(256, np.float32)
    run.launch("divide_singles", (256,), (ma, mb, c, 256), reads=(ma, mb), writes=(c,))
    assert np.array_equal(c.to_host(), np.sqrt(a) / b)


def test_bools_are_bytes(run: Run) -> None:
    flags = np.array([True, False, True, True])
    managed = run.array(flags)
    run.launch("invert", (4,), (managed, 4), reads=(managed,), writes=(managed,))
    run.finish((managed,))
    assert flags.tolist() == [False, True, False, False]


@pytest.mark.parametrize("size", [(1, 1, 1), (5, 3, 2), (37, 2, 1), (1, 70, 3), (3, 1, 40)])
def test_three_dimensions(run: Run, size: tuple[int, int, int]) -> None:
    out = run.full(size[::-1], -1, np.int64)
    run.launch("index_space", size, (out, *size), writes=(out,))
    assert np.array_equal(out.to_host().ravel(), np.arange(out.to_host().size))


def test_scalars_of_all_types_are_set_again_when_they_change(run: Run) -> None:
    out = run.zeros(6, np.float64)
    for k in (3, 3, 4):
        args = (-k, np.int32(k), np.float32(0.5 * k), 0.25 * k, np.True_, np.int16(-k))
        run.launch("scalars", (1,), (out, *args), writes=(out,))
        assert out.to_host().tolist() == [-k, k, 0.5 * k, 0.25 * k, 1.0, -k]
    run.launch("scalars", (1,), (out, 0, np.int32(0), np.float32(0), 0.0, True, np.int16(0)), writes=(out,))
    assert not np.signbit(out.to_host()[3])
    run.launch("scalars", (1,), (out, 0, np.int32(0), np.float32(0), -0.0, False, np.int16(0)), writes=(out,))
    assert np.signbit(out.to_host()[3])


def test_empty_arrays_and_spaces(run: Run) -> None:
    nothing = np.empty(0)
    managed, c = run.array(nothing), run.zeros((0, 4), np.float64)
    with count_transfers() as seen:
        run.launch("add", (0,), (managed, managed, c, 0), reads=(managed,), writes=(c,))
        run.launch("add", (5,), (managed, managed, c, 0), reads=(managed,), writes=(c,))
        run.launch_groups("partial_sums", 0, 64, (managed, c, 0))
        run.finish((managed, c))
    assert seen.uploads == 0 and seen.downloads == 0
    assert run.result(c).shape == (0, 4)


def test_an_exception_leaves_arguments_and_runtime_unharmed(opening: Callable[..., Run], device: Device) -> None:
    a = np.ones(8)
    with pytest.raises(ZeroDivisionError), opening(device=device) as run:
        managed = run.array(a)
        run.launch("add", (8,), (managed, managed, managed, 8), reads=(managed,), writes=(managed,))
        raise ZeroDivisionError
    assert a.tolist() == [1.0] * 8
    with opening(device=device) as run:
        managed = run.array(a)
        for wrong in ((managed,), (managed, managed, managed, "8")):
            with pytest.raises((TypeError, AttributeError)):
                run.launch("add", (8,), wrong, reads=(managed,), writes=(managed,))
        with pytest.raises(SomdRuntimeError):
            run.launch_groups("partial_sums", 1, 2**20, (managed, managed, 8), reads=(managed,))
        run.launch("add", (8,), (managed, managed, managed, 8), reads=(managed,), writes=(managed,))
        run.finish((managed,))
    assert a.tolist() == [2.0] * 8


def test_read_only_and_overlapping_arguments(run: Run) -> None:
    a = np.ones(8)
    frozen = np.ones(8)
    frozen.flags.writeable = False
    ma, mf = run.array(a), run.array(frozen)
    assert run.array(a) is ma
    run.launch("add", (8,), (mf, mf, ma, 8), reads=(mf,), writes=(ma,))
    with pytest.raises(ValueError, match="read-only"):
        run.launch("add", (8,), (ma, ma, mf, 8), reads=(ma,), writes=(mf,))
    part, interleaved = run.array(a[2:6]), run.array(frozen[1::2])
    assert part.overlaps and ma.overlaps and interleaved.overlaps
    with pytest.raises(SomdRuntimeError, match="SOMD309"):
        run.launch("add", (4,), (mf, mf, part, 4), reads=(mf,), writes=(part,))
    wide = np.zeros(16)
    even, odd = run.array(wide[::2]), run.array(wide[1::2])
    assert not even.overlaps and not odd.overlaps


def test_device_arrays_stay_on_the_device(opening: Callable[..., Run], device: Device) -> None:
    a = to_device(np.arange(16.0), device)
    with count_transfers() as seen, opening(arguments=(a,)) as run:
        assert run.context.device.info == device.info
        managed, c = run.array(a), run.empty(16, np.float64)
        run.launch("add", (16,), (managed, managed, c, 16), reads=(managed,), writes=(c,))
        run.launch("add", (16,), (c, managed, managed, 16), reads=(c, managed), writes=(managed,))
        run.finish((managed, c))
        result = run.result(c, on_device=True)
    assert (seen.uploads, seen.downloads) == (0, 0)
    assert np.array_equal(np.asarray(result), np.arange(16.0) * 2)
    assert np.array_equal(a.to_host(), np.arange(16.0) * 3)


@pytest.mark.usual(3)
def test_a_call_lets_go_of_device_arrays(opening: Callable[..., Run], device: Device) -> None:
    x = to_device(np.zeros(3), device)
    with opening(arguments=(x,)) as run:
        run.array(x)
    kept = weakref.ref(x)
    del x
    gc.collect()
    assert kept() is None and run.contexts


def test_arrays_of_a_foreign_queue(opening: Callable[..., Run], device: Device) -> None:
    import pyopencl as cl
    import pyopencl.array

    context = cl.Context([device.handle])  # kept: the queue of Intel's runtime does not
    queue = cl.CommandQueue(context)
    foreign = cl.array.to_device(queue, np.arange(8.0))
    with opening(arguments=(1, foreign)) as run:
        managed = run.array(foreign)
        run.launch("add", (8,), (managed, managed, managed, 8), reads=(managed,), writes=(managed,))
        run.finish((managed,))
    assert np.array_equal(foreign.get(), np.arange(8.0) * 2)
    with opening(device=device) as run, pytest.raises(ValueError, match="two OpenCL contexts"):
        run.array(foreign)
    with opening(arguments=(foreign,)) as run, pytest.raises(ValueError, match="offset"):
        run.array(foreign[2:])


def test_threads(opening: Callable[..., Run], device: Device) -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        for turn in range(2 if device.info.kind == "simulator" else 10):
            a = np.full(64, float(seed * 100 + turn))
            with opening(device=device) as run:
                managed = run.array(a)
                for _ in range(3):
                    run.launch("add", (64,), (managed, managed, managed, 64), reads=(managed,), writes=(managed,))
                run.finish((managed,))
            if not (a == 8.0 * (seed * 100 + turn)).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_equal_floats_of_other_bytes_are_set_anew(run: Run) -> None:
    out = run.empty(6, np.float64)
    for value in (0.0, -0.0, 0.0):
        args = (out, 1, np.int32(2), np.float32(value), value, np.uint8(3), np.int16(-4))
        run.launch("scalars", (1,), args, writes=(out,))
        assert np.signbit(run.result(out)[2:4]).tolist() == [np.signbit(value)] * 2


def test_a_launch_that_the_driver_refuses_is_an_error_and_the_next_one_works(run: Run, device: Device) -> None:
    if device.info.kind == "simulator":
        pytest.skip("it takes every size")
    out, most = run.empty(6, np.float64), 2 * max(device.info.max_work_item_sizes)
    args = (out, 1, np.int32(2), np.float32(3), 4.0, np.uint8(5), np.int16(-6))
    with pytest.raises(SomdRuntimeError, match="launching scalars over"):
        run.launch_groups("scalars", 1, most, args, writes=(out,))
    run.launch("scalars", (1,), args, writes=(out,))
    assert run.result(out).tolist() == [1, 2, 3, 4, 5, -6]


def test_launches_with_and_without_events_are_the_same(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.arange(20.0)
    for function in (enqueue._function, lambda cl: None):
        monkeypatch.setattr(enqueue, "_function", function)
        data, c = run.array(a), run.empty(20, np.float64)
        run._kernels["add"].sizes.clear()
        run.launch("add", (20,), (data, data, c, 20), reads=(data,), writes=(c,))
        assert np.array_equal(run.result(c), 2 * a)
