"""Calls of generated OpenCL modules. In: the module and the caller's arguments. Out: what the function would return.

Arrays written by the method are changed for the caller; a returned parameter is the caller's own object. When an
argument is a device array, results stay on the device too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from somd.errors import SomdError
from somd.language.combining import Join
from somd.language.library import LibraryCall
from somd.language.raising import Raises
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import Context, context_for
from somd.runtime.opencl.device_array import is_device_array
from somd.runtime.opencl.devices import Device, select, select_all
from somd.runtime.opencl.failures import failed, no_doubles, of_driver
from somd.runtime.opencl.programs import build
from somd.runtime.opencl.session import Run, open_run
from somd.runtime.opencl.several.group import group_for


def call(
    master: Callable[..., Any],
    kernels: str,
    kernel_names: Sequence[str],
    args: tuple[Any, ...],
    *,
    device: Device | str | tuple[Device, ...] | None = None,
    doubles: bool = True,
    fastmath: bool = False,
    partitioners: Mapping[int, Any] | None = None,
    joins: Sequence[Join | LibraryCall] = (),
    raises: Raises | None = None,
) -> Any:
    """Run a master on a device with the caller's arguments.

    Raises:
        IndexError: an access outside its array, found before a phase or in it.
        BaseException: what the method raises.
        SomdRuntimeError: SOMD309 and SOMD502 to SOMD504.
    """
    with open_run(kernels, kernel_names, device=device, arguments=args, doubles=doubles, fastmath=fastmath) as run:
        return run_master(run, master, args, partitioners or {}, joins, raises)


def run_master(
    run: Run,
    master: Callable[..., Any],
    args: tuple[Any, ...],
    partitioners: Mapping[int, Any],
    joins: Sequence[Join | LibraryCall],
    raises: Raises | None,
) -> Any:
    """Run a master by a `Run`; see `call`."""
    run.given, run.partitioners, run.joins = args, partitioners, joins
    if raises is not None:
        run.raises = raises
    given = tuple([run.array(a) if isinstance(a, np.ndarray) or is_device_array(a) else a for a in args])
    arrays = [(m, a) for m, a in zip(given, args, strict=True) if isinstance(m, Managed)]
    on_host = tuple([m for m, a in arrays if isinstance(a, np.ndarray)])
    failure: BaseException | None = None
    try:
        result = master(run, *given)
    except Exception as error:
        failure = error
    if failure is not None:  # not inside `except`: what the method raises has the context that it has in Python
        run.settle()  # a fault of a kernel came before what the master found
        if not isinstance(failure, SomdError) and not (run.faults is not None and run.faults.failed):
            run.finish(on_host)  # what was changed before the master raised stays changed
        raise failure
    run.finish(on_host)
    for managed, array in arrays:
        if not isinstance(array, np.ndarray):
            managed.leave_host()  # what the master wrote to a caller's device array
    on_device = len(on_host) < len(arrays)
    return _result(run, result, {id(m): a for m, a in arrays}, on_device)


def _result(run: Run, value: Any, own: dict[int, Any], on_device: bool) -> Any:
    if isinstance(value, tuple):
        return tuple([_result(run, part, own, on_device) for part in value])
    if isinstance(value, Managed):
        return own[id(value)] if id(value) in own else run.result(value, on_device)
    return value


class OpenCLCall:
    """A loaded module on a device, ready to be called with arguments of its signature.

    Raises:
        NoDevice: no device fits (SOMD502).
        SomdRuntimeError: the method computes in double precision, and the device does not (SOMD503); the driver
            refuses its program (SOMD504).
    """

    def __init__(
        self,
        module: ModuleType,
        name: str,
        device: Device | str | tuple[str, ...] | None,
        partitioners: Mapping[int, Any],
        joins: Sequence[Join | LibraryCall] = (),
        functions: Sequence[FunctionType] = (),
        names: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self.raises = Raises(getattr(module, "RAISES", {}), functions, names)
        self.partitioners = partitioners
        self.joins = joins
        self.master: Callable[..., Any] = getattr(module, name)
        self.kernels: str = module.KERNELS
        self.kernel_names: tuple[str, ...] = module.KERNEL_NAMES
        self.doubles: bool = module.DOUBLES
        self.written: tuple[int, ...] = module.WRITTEN
        self.device: Device | tuple[Device, ...]
        if isinstance(device, tuple):
            several = select_all(device)
            self.device = several if len(several) > 1 else several[0]
        else:
            self.device = device if isinstance(device, Device) else select(device)
        for context in self._contexts():
            if self.doubles and not context.device.info.doubles:
                raise no_doubles(str(context.device))
            build(context, self.kernels)

    def _contexts(self) -> tuple[Context, ...]:
        if isinstance(self.device, tuple):
            return group_for(self.device).contexts
        return (context_for(self.device),)

    def compile(self, args: Sequence[Any]) -> None:
        """Have the driver build the program, and keep what it gives; arguments do not matter.

        Raises:
            SomdRuntimeError: the driver refuses it (SOMD504).
        """
        for context in self._contexts():
            build(context, self.kernels)

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        """Run; the number of workers is the device's own matter."""
        try:
            return self.called(args, workers)
        except Exception as error:
            if not of_driver(error):
                raise
            raise failed(f"a call of `{self.master.__name__}`", str(self.device), error) from error

    def called(self, args: tuple[Any, ...], workers: int) -> Any:
        """As a call; the driver's errors are its own."""
        return call(
            self.master,
            self.kernels,
            self.kernel_names,
            args,
            device=self.device,
            doubles=self.doubles,
            partitioners=self.partitioners,
            joins=self.joins,
            raises=self.raises,
        )
