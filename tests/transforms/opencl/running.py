"""Running a method on a device and as plain Python, and comparing the two."""

from __future__ import annotations

import copy
import functools
import itertools
import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from somd.arguments.signatures import describe
from somd.errors import SomdCompileError
from somd.runtime.opencl import Device, open_run
from somd.runtime.opencl.execute import call
from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_guards import DEFINITIONS
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import declared_in
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.loops.expressions_to_loops import Expressions
from somd.transforms.loops.program import Program
from somd.transforms.loops.statements_to_loops import Names as OwnNames
from somd.transforms.loops.statements_to_loops import Statements as Builder
from somd.transforms.opencl.plan_to_opencl import OpenCLCode, plan_to_opencl
from somd.transforms.pipeline import compile_for
from somd.transforms.signature_text import parse_type
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.types.infer import infer_types
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

_numbers = itertools.count()
#: Python numbers that expressions may mention beside `x` and `y`
WEAK_NAMES = {"n": 3, "w": 0.75}
HEADER = "import math\nimport numpy as np\nfrom somd.language.markers import dist, reduce, shared, sync, view\n\n"
#: before the first of the expressions of a method: the header, the line of `def`, and those of `WEAK_NAMES`
_LINES_BEFORE = HEADER.count("\n") + 2 + len(WEAK_NAMES)


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
    types = tuple((name, describe(value)) for name, value in zip(names, args, strict=True))
    arrays = [(name, value) for name, value in zip(names, args, strict=True) if isinstance(value, np.ndarray)]
    aliases = {n: next(m for m, w in arrays if w is v) for n, v in arrays if any(w is v and m != n for m, w in arrays)}
    return compiled_once(function, types, tuple(aliases.items()))


@functools.cache
def compiled_once(
    function: FunctionType, types: tuple[tuple[str, str], ...], aliases: tuple[tuple[str, str], ...]
) -> OpenCLCode:
    """What is generated for all devices, and for all arguments of these types; a test that patches the compiler has its
    own (see `conftest`)."""
    compiled = compile_for(function, {name: parse_type(text) for name, text in types}, dict(aliases))
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


def _typed(expressions: list[str], x: str, y: str) -> tuple[Method, Types]:
    lines = [f"    {name} = {value}" for name, value in WEAK_NAMES.items()]
    lines += [f"    r_{k} = {expression}" for k, expression in enumerate(expressions)]
    method = method_of(method_from("\n".join(["def method(x, y):", *lines, ""])))
    return method, infer_types(method, {"x": ScalarType(x), "y": ScalarType(y)})


def in_language(expressions: Sequence[str], x: str, y: str) -> list[str]:
    """Those of the expressions that have a type for operands of these dtypes."""
    kept = list(expressions)
    while kept:
        try:
            _, types = _typed(kept, x, y)
        except SomdCompileError as error:
            refused = {each.labels[0].position.line - _LINES_BEFORE for each in error.diagnostics}
            assert refused and all(0 <= k < len(kept) for k in refused), error
            kept = [expression for k, expression in enumerate(kept) if k not in refused]
        else:
            return [expression for k, expression in enumerate(kept) if f"r_{k}" in types.names]
    return []


def computed(expressions: list[str], device: Device, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """The values of expressions in `x` and `y` for each pair of elements, translated without a plan."""
    method, types = _typed(expressions, x.dtype.name, y.dtype.name)
    body = Builder(Expressions(method, types), OwnNames(), types.result, {}).block(statements_of(method.function.body))
    unit = Unit(["table"], Program("method", (), None, body), {})
    statements = Statements(Scope(Names()), unit, declared_in(body), 2)
    statements.block(body)
    dtypes = [types.names[f"r_{k}"].dtype for k in range(len(expressions))]
    pointers = [f"__global {CTYPES[dtype]} *out_{k}" for k, dtype in enumerate(dtypes)]
    sides = [f"__global const {CTYPES[v.dtype.name]} *in_{name}" for name, v in (("x", x), ("y", y))]
    head = f"__kernel void table({', '.join([*sides, *pointers, 'long count'])})"
    body = [f"        const {CTYPES[v.dtype.name]} {name} = in_{name}[i];" for name, v in (("x", x), ("y", y))]
    body += ["        long n;", "        double w;", *(f"        {CTYPES[d]} r_{k}_;" for k, d in enumerate(dtypes))]
    body += [*statements.lines, *(f"        out_{k}[i] = r_{k}_;" for k in range(len(dtypes)))]
    source = "\n".join(
        [
            *DEFINITIONS.values(),
            *unit.functions.values(),
            head,
            "{ for (long i = 0; i < count; i++) {",
            *body,
            "    } }",
            "",
        ]
    )
    with open_run(source, ["table"], device=device) as run:
        outputs = [run.empty(len(x), dtype) for dtype in dtypes]
        inputs = (run.array(x), run.array(y))
        run.launch("table", (1,), (*inputs, *outputs, len(x)), reads=inputs, writes=tuple(outputs))
        return [out.to_host() for out in outputs]
