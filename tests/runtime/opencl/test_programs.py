"""Programs and their caches, work-group sizes, the choice among devices."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from somd.errors import SomdRuntimeError
from somd.runtime.opencl import Device, DeviceInfo, binaries, devices, open_run, programs
from somd.runtime.opencl.context import Context, context_for
from somd.runtime.opencl.folders import cache_folder
from somd.runtime.opencl.workgroups import Limits, local_size, rounded

SOURCE = "__kernel void twice(__global double *a) { if (get_global_id(0) < 4) a[get_global_id(0)] *= 2.0; }"


def twice(context: Context, program: programs.Program) -> list[float]:
    from somd.runtime.opencl import Run

    a = np.arange(4.0)
    with Run(context, program, ["twice"]) as run:
        managed = run.array(a)
        run.launch("twice", (4,), (managed,), reads=(managed,), writes=(managed,))
        run.finish((managed,))
    return list(a)


@pytest.mark.parametrize("damage", [None, b"", b"short", b"x" * 500])
def test_the_disk_cache(device: Device, damage: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.info.kind == "simulator":
        pytest.skip("a simulator's binaries are not kept")
    monkeypatch.setattr(binaries, "kept", lambda info: True)
    context = context_for(device)
    source = f"// {damage!r}\n{SOURCE}"
    programs.build(context, source)
    entry = binaries.entry(programs.text_for(context, source, False), programs.options_for(context, False), device.info)
    assert binaries.load(entry)
    if damage is not None:
        entry.write_bytes(damage)
        assert binaries.load(entry) is None
    context.programs.clear()
    stored: list[Path] = []
    monkeypatch.setattr(binaries, "store", lambda path, binary: stored.append(path))
    assert twice(context, programs.build(context, source)) == [0.0, 2.0, 4.0, 6.0]
    assert stored == ([] if damage is None else [entry])


def test_a_binary_that_the_driver_refuses_is_built_anew(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "kept", lambda info: info.kind != "simulator")
    context = context_for(device)
    source = f"// refused\n{SOURCE}"
    entry = binaries.entry(programs.text_for(context, source, False), programs.options_for(context, False), device.info)
    binaries.store(entry, b"not a program at all")
    assert twice(context, programs.build(context, source)) == [0.0, 2.0, 4.0, 6.0]


def test_one_program_and_one_kernel_object_per_process(any_device: Device) -> None:
    context = context_for(any_device)
    program = programs.build(context, SOURCE)
    assert programs.build(context, SOURCE) is program
    assert programs.build(context, SOURCE, fastmath=True) is not program
    assert program.kernel("twice") is program.kernel("twice")
    with pytest.raises(SomdRuntimeError, match="making the kernel thrice"):
        program.kernel("thrice")


def test_a_refused_program_is_kept_and_its_lines_named(device: Device) -> None:
    source = '#line 40 "model.py"\n__kernel void f(__global double *a) { a[0] = undeclared; }'
    with pytest.raises(SomdRuntimeError, match="SOMD504") as caught:
        open_run(source, ["f"], device=device)
    text = str(caught.value)
    assert "undeclared" in text and "pyopencl" not in text
    # Oclgrind's compiler passes over #line.
    assert "model.py:40:" in text or device.info.kind == "simulator"
    kept = next(cache_folder("refused").glob("*.cl"))
    assert str(kept.parent) in text and source in kept.read_text()


def test_a_device_without_doubles_is_refused(any_device: Device) -> None:
    poor = Device(dataclasses.replace(any_device.info, doubles=False, name="poor"), 0, any_device.handle)
    with pytest.raises(SomdRuntimeError, match="SOMD503"):
        open_run(SOURCE, ["twice"], device=poor)
    open_run("__kernel void f(__global int *a) { a[0] = 1; }", ["f"], device=poor, doubles=False).close()


def limits(kind: str, multiple: int, largest: int = 1024, units: int = 1) -> Limits:
    return Limits(kind, multiple, largest, (1024, 1024, 64), units)


@pytest.mark.parametrize(
    ("given", "size", "expected"),
    [
        (limits("gpu", 32), (10**6,), (256,)),
        (limits("gpu", 32, units=100), (10**6,), (256,)),
        (limits("gpu", 32, units=100), (10**4,), (64,)),
        (limits("gpu", 32, units=100), (1000,), (32,)),
        (limits("cpu", 8, units=100), (1000,), (256,)),
        (limits("gpu", 32), (1000, 1000), (32, 8)),
        (limits("gpu", 64), (1000, 1000), (64, 8)),
        (limits("gpu", 32), (100, 100, 100), (32, 4, 2)),
        (limits("gpu", 32), (3, 1000), (4, 64)),
        (limits("gpu", 32), (1000, 1), (256, 1)),
        (limits("gpu", 32, largest=64), (1000, 1000), (32, 2)),
        (limits("gpu", 32, largest=1), (1000, 1000), (1, 1)),
        (limits("cpu", 8), (1000, 1000), (8, 8)),
        (limits("cpu", 128), (1000, 1000), (128, 8)),
        (limits("cpu", 8), (5,), (8,)),
        (limits("gpu", 32), (1, 1, 1000), (1, 1, 64)),
    ],
)
def test_local_sizes(given: Limits, size: tuple[int, ...], expected: tuple[int, ...]) -> None:
    local = local_size(given, size)
    assert local == expected
    assert all(
        extent <= whole < extent + part for extent, whole, part in zip(size, rounded(size, local), local, strict=True)
    )


def info(platform: str, kind: str) -> DeviceInfo:
    return DeviceInfo("d", platform, "", "", kind, True, True, 1, 1, (1,), 1, 1, "")


def test_the_default_order() -> None:
    order = [
        info("NVIDIA CUDA", "gpu"),
        info("Intel(R) OpenCL", "cpu"),
        info("Portable Computing Language", "cpu"),
        info("AMD", "cpu"),
        info("Intel(R) FPGA Emulation Platform", "accelerator"),
        info("Oclgrind", "simulator"),
    ]
    order.reverse()
    assert sorted(order, key=lambda one: one.rank) == order[::-1]
    assert [one.rank for one in devices()] == sorted(one.rank for one in devices())
