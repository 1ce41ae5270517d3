"""The errors of the device layer, each made in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from somd.errors import SomdRuntimeError


class NoDevice(SomdRuntimeError):
    """SOMD502: no OpenCL device fits; the text says what was asked for and what was found."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "SOMD502")

    def __reduce__(self) -> tuple[type[NoDevice], tuple[str]]:
        return type(self), (self.message,)


def no_doubles(device: str) -> SomdRuntimeError:
    """The device computes in single precision only."""
    return SomdRuntimeError(f"the OpenCL device {device!r} has no double precision", "SOMD503")


def build_refused(device: str, log: str, kept: str) -> SomdRuntimeError:
    """The driver did not accept a generated program. `kept` is the file that holds its source."""
    text = f"the OpenCL driver of {device!r} refused a generated program\n  source: {kept}\n{log.strip()}"
    return SomdRuntimeError(text, "SOMD504")


def overlapping() -> SomdRuntimeError:
    """Two arguments share memory and one of them is written: separate buffers would lose the connection."""
    return SomdRuntimeError("two array arguments overlap in memory, and one of them is written", "SOMD309")


def forked() -> SomdRuntimeError:
    """OpenCL's threads and device handles do not survive `fork`."""
    return SomdRuntimeError(
        "OpenCL was already in use when this process was forked, and its drivers do not survive a fork; start worker "
        "processes with the 'spawn' or 'forkserver' method, or fork before the first use of an OpenCL device"
    )


#: the driver's codes after which nothing of a context works any more: device not available, invalid context or queue,
#: and NVIDIA's for a kernel that went astray
LOST = (-2, -34, -36, -9999)


def lost(error: BaseException | None) -> bool:
    """Whether an error says that the device has gone, or the context with all that is in it."""
    cause = None if error is None else error.__cause__
    record = cause.args[0] if cause is not None and cause.args else None
    code = getattr(record, "code", None)
    return code is not None and code() in LOST


@contextmanager
def device_errors(doing: str, device: str) -> Iterator[None]:
    """Turns an error of the driver into a SomdRuntimeError that says what was being done, and where."""
    try:
        yield
    except Exception as error:
        if not of_driver(error):
            raise
        raise failed(doing, device, error) from error


def of_driver(error: BaseException) -> bool:
    """Whether an error is one of pyopencl's own: known by their module, since this file must not load it."""
    return any(base.__module__.startswith("pyopencl") for base in type(error).__mro__)


def failed(doing: str, device: str, error: BaseException) -> SomdRuntimeError:
    """An error of the driver in our words."""
    return SomdRuntimeError(f"{doing} failed on the OpenCL device {device!r}: {error}")
