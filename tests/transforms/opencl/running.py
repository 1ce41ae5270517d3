"""Running a method on a device and as plain Python, and comparing the two."""

from __future__ import annotations

import copy
import itertools
import linecache
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from somd.runtime.opencl import Device
from somd.runtime.opencl.execute import call
from somd.signatures import describe
from somd.transforms.opencl.plan_to_opencl import OpenCLCode, plan_to_opencl
from somd.transforms.pipeline import compile_for
from somd.transforms.signature_text import parse_type

_numbers = itertools.count()
HEADER = "import math\nimport numpy as np\nfrom somd.markers import dist, reduce, shared, sync, view\n\n"


def method_from(text: str, **names: Any) -> FunctionType:
    """The function `method` that `text` defines, its source known to `inspect`."""
    file, text = f"<method {next(_numbers)}>", HEADER + text
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "generated", **names}
    exec(compile(text, file, "exec"), namespace)
    found = namespace["method"]
    assert isinstance(found, FunctionType)
    return found


def code_of(function: FunctionType, *args: Any) -> OpenCLCode:
    """The OpenCL program of `function` for these arguments."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    types = {name: parse_type(describe(value)) for name, value in zip(names, args, strict=True)}
    arrays = [(name, value) for name, value in zip(names, args, strict=True) if isinstance(value, np.ndarray)]
    aliases = {n: next(m for m, w in arrays if w is v) for n, v in arrays if any(w is v and m != n for m, w in arrays)}
    compiled = compile_for(function, types, aliases)
    return plan_to_opencl(compiled.plan, compiled.types)


def on_device(function: FunctionType, device: Device, *args: Any) -> Any:
    """Call `function` on the device."""
    code = code_of(function, *args)
    module: dict[str, Any] = {}
    exec(compile(code.host, "host.py", "exec"), module)
    return call(module[code.entry], code.kernels, code.kernel_names, args, device=device, doubles=code.doubles)


def check(function: FunctionType, device: Device, *args: Any, rtol: float = 0.0) -> Any:
    """Result and arguments are those of plain Python; with `rtol` floats only nearly."""
    wanted_args, found_args = copy.deepcopy(args), copy.deepcopy(args)
    with np.errstate(all="ignore"):
        wanted = function(*wanted_args)
        found = on_device(function, device, *found_args)
    for w, f in zip(wanted_args, found_args, strict=True):
        assert_same(w, f, rtol)
    assert_same(wanted, found, rtol)
    return found


def assert_same(wanted: Any, found: Any, rtol: float = 0.0) -> None:
    """Equal in type, shape and bits (any NaN is any other)."""
    if isinstance(wanted, tuple):
        assert len(wanted) == len(found)
        for w, f in zip(wanted, found, strict=True):
            assert_same(w, f, rtol)
        return
    assert type(wanted) is type(found), (type(wanted), type(found))
    if isinstance(wanted, np.ndarray | np.generic):
        assert wanted.dtype == found.dtype
    if wanted is None:
        return
    w, f = np.asarray(wanted), np.asarray(found)
    if rtol and w.dtype.kind == "f":
        np.testing.assert_allclose(f, w, rtol=rtol)
    else:
        np.testing.assert_array_equal(f, w)
        if w.dtype.kind == "f":
            numbers = ~np.isnan(w)
            np.testing.assert_array_equal(np.signbit(f[numbers]), np.signbit(w[numbers]))


Function = Callable[..., Any]
