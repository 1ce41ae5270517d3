"""Managed: what is copied when, and in which layout."""

from __future__ import annotations

import numpy as np
import pytest

from somd.runtime.opencl import Device, DeviceArray, Managed, count_transfers, is_device_array, to_device
from somd.runtime.opencl.context import Context, context_for


@pytest.fixture
def context(any_device: Device) -> Context:
    return context_for(any_device)


ARRAYS = {
    "plain": np.arange(6.0).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(40.0).reshape(5, 8)[::2, ::-3],
    "swapped": np.arange(5, dtype=">i4"),
    "unaligned": np.frombuffer(bytearray(b"x" + np.arange(4.0).tobytes()), np.float64, offset=1),
    "broadcast": np.broadcast_to(np.float32(3), (3, 4)),
    "scalar": np.array(7, dtype=np.int16),
    "empty": np.empty((3, 0), np.int8),
    "bools": np.array([True, False]),
    "complex": np.array([1 + 2j]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_there_and_back(context: Context, name: str) -> None:
    array = ARRAYS[name]
    managed = Managed.of(context, array)
    assert managed.host_valid and not managed.device_valid
    buffer = managed.to_device()
    back = Managed(context, array.shape, array.dtype, buffer=buffer)
    assert np.array_equal(back.to_host(), array)
    if not array.flags.writeable:
        managed.written_on_device()
        with pytest.raises(ValueError, match="read-only"):
            managed.to_host()
        return
    before = array.copy()
    array[...] = 0
    managed.written_on_device()
    assert managed.to_host() is managed.host
    assert np.array_equal(array, before)


def test_copies_are_made_only_of_what_is_stale(context: Context) -> None:
    array = np.arange(4.0)
    managed = Managed.of(context, array)
    with count_transfers() as seen:
        for _ in range(3):
            managed.to_device()
            managed.to_host()
        assert (seen.uploads, seen.downloads) == (1, 0)
        array[0] = 9
        managed.written_on_host()
        managed.to_device()
        managed.written_on_device()
        for _ in range(3):
            managed.to_host()
    assert (seen.uploads, seen.downloads, seen.uploaded_bytes, seen.downloaded_bytes) == (2, 1, 64, 32)


def test_full_moves_nothing(context: Context) -> None:
    managed = Managed(context, (2, 2), np.int16)
    with count_transfers() as seen:
        managed.fill(-3)
    assert seen.uploads == 0
    assert managed.to_host().tolist() == [[-3, -3], [-3, -3]]


def test_what_is_overwritten_is_not_filled(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[tuple[int, ...]] = []
    fill = Managed.fill
    monkeypatch.setattr(Managed, "fill", lambda self, value: (filled.append(self.shape), fill(self, value))[1])
    one, two, three = (Managed(context, (k, 3), np.int16) for k in (1, 2, 3))
    for each in (one, two, three):
        each.fill_later(-3)
    two.overwritten((2, 3))
    three.overwritten((2, 3))
    assert filled == []
    assert one.to_host().tolist() == [[-3, -3, -3]]
    two.to_device()
    three.to_device()
    assert filled == [(1, 3), (3, 3)]
    with pytest.raises(ValueError):  # NumPy 2.0 lets integers wrap here
        one.fill_later("text")


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([object()]), np.array(["2020"], "M8[D]")])
def test_elements_without_a_place_on_a_device(context: Context, array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="no place"):
        Managed.of(context, array)


def test_buffers_come_from_the_pool(context: Context) -> None:
    first = Managed(context, (1000,), np.float64)
    first.fill(0)
    held = context.pool.managed_bytes
    del first
    second = Managed(context, (1000,), np.float64)
    second.fill(1)
    assert context.pool.managed_bytes == held


def test_device_array(any_device: Device) -> None:
    host = np.arange(6, dtype=np.int32).reshape(2, 3)
    on_device = to_device(host, any_device)
    assert to_device(on_device) is on_device
    assert (on_device.shape, on_device.dtype, on_device.ndim, on_device.size, len(on_device)) == (
        (2, 3),
        host.dtype,
        2,
        6,
        2,
    )
    assert np.array_equal(np.asarray(on_device), host)
    assert np.asarray(on_device, dtype=np.float64).dtype == np.float64
    assert is_device_array(on_device) and is_device_array(on_device.array) and not is_device_array(host)
    assert isinstance(to_device(np.empty(0), any_device), DeviceArray)
    assert to_device(np.empty(0), any_device).to_host().shape == (0,)
