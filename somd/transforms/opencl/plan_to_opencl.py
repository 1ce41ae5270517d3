"""`Plan` and types -> OpenCL: kernels in OpenCL C, and the master as a Python module.

It reads the plan only; what it has no form for it refuses with `TargetLacks`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from somd.transforms.fence_table import fences_text
from somd.transforms.opencl.arguments import Kernel
from somd.transforms.opencl.combining_kernels import combining_kernel_of, joining_kernel_of
from somd.transforms.opencl.complex_lack import refuse_complex
from somd.transforms.opencl.host import host_module
from somd.transforms.opencl.kernels import kernel_of
from somd.transforms.opencl.lacks import TargetLacks
from somd.transforms.opencl.ordered_kernels import ordered_kernel_of
from somd.transforms.opencl.reduction_kernels import reduction_kernel_of
from somd.transforms.opencl.unit import Unit
from somd.transforms.stages import Plan, joined_names, relies_on_partition, written_arrays
from somd.transforms.types.typing_table import Types

#: interleaved accumulators in a logical block, as on every target
LANES = 32


@dataclass(frozen=True)
class OpenCLCode:
    """`kernels` is OpenCL C 1.2, `host` a Python module that defines the master `entry`; `doubles` tells whether the
    kernels compute in double precision."""

    kernels: str
    host: str
    kernel_names: tuple[str, ...]
    entry: str
    doubles: bool
    written: tuple[int, ...]
    #: what the fences call: (name in the method, dtype, whether it is a Python number)
    fences: str = ""


def module_text(code: OpenCLCode) -> str:
    """Master and kernels as one module, for `OpenCLCall`."""
    text = code.kernels.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    fences = f"FENCES = {code.fences}\n" if code.fences else ""
    constants = (
        f"{fences}KERNEL_NAMES = {code.kernel_names!r}\nDOUBLES = {code.doubles}\nWRITTEN = {code.written!r}\n"
        f'KERNELS = """\\\n{text}"""\n'
    )
    return f"{code.host}\n\n{constants}"


def plan_to_opencl(plan: Plan, types: Types) -> OpenCLCode:
    """The OpenCL program of a plan.

    Raises:
        TargetLacks: the method has a construct without a form in OpenCL C.
    """
    refuse_complex(plan, types)
    name = plan.method.name
    numbers = [phase.number for phase in plan.phases()]
    helpers = [instance.name for instance in types.helpers.values()]
    wanted = [f"{name}_{number}" for number in numbers]
    wanted += [f"{name}_{p.number}_in_order" for p in plan.phases() if p.nest.in_order_if]
    wanted += [f"{name}_{p.number}_{each.array}" for p in plan.phases() for each in p.nest.combined]
    unit = Unit(wanted, helpers)
    kernels: dict[int, Kernel] = {}
    in_order: dict[int, Kernel] = {}
    joining: dict[int, dict[str, Kernel]] = {}
    for phase in plan.phases():
        nest, c_name = phase.nest, unit.kernel_names[f"{name}_{phase.number}"]
        if nest.in_order_if and (nest.reductions or nest.combined):
            raise TargetLacks("a reduction whose iterations a negative index would make dependent", nest.position)
        if relies_on_partition(plan, nest) and nest.relaxed is not None:
            raise TargetLacks("a relaxed loop that relies on a partitioner", nest.position)
        if nest.copies and nest.partition not in (None, *plan.method.param_names):
            raise TargetLacks(f"partial results of the parts of a local, `{nest.partition}`", nest.position)
        if nest.copies or relies_on_partition(plan, nest):
            kernels[phase.number] = ordered_kernel_of(nest, c_name, plan.method, types, unit)
            continue
        if nest.combined:
            kernels[phase.number] = combining_kernel_of(nest, c_name, plan.method, types, unit)
            names = {each.array: unit.kernel_names[f"{name}_{phase.number}_{each.array}"] for each in nest.combined}
            joining[phase.number] = {e.array: joining_kernel_of(e, names[e.array], types) for e in nest.combined}
            continue
        make = reduction_kernel_of if nest.reductions else kernel_of
        kernels[phase.number] = make(nest, c_name, plan.method, types, unit)
        if nest.in_order_if:
            ordered_name = unit.kernel_names[f"{name}_{phase.number}_in_order"]
            in_order[phase.number] = ordered_kernel_of(nest, ordered_name, plan.method, types, unit)
    every = [*kernels.values(), *in_order.values(), *(k for by_array in joining.values() for k in by_array.values())]
    made: dict[str, int] = {kernel.name: n for found in (kernels, in_order) for n, kernel in found.items()}
    made.update((kernel.name, n) for n, by_array in joining.items() for kernel in by_array.values())
    text = _program(plan, unit, every, made)
    return OpenCLCode(
        kernels=text,
        host=host_module(plan, types, kernels, in_order, joining).code,
        kernel_names=tuple(kernel.name for kernel in every),
        entry=name,
        fences=fences_text(plan, types) if joined_names(plan) else "",
        doubles=_uses_doubles(text),
        written=tuple(k for k, param in enumerate(plan.method.param_names) if param in written_arrays(plan)),
    )


def _program(plan: Plan, unit: Unit, kernels: Sequence[Kernel], made: Mapping[str, int]) -> str:
    """The text of all kernels; `made` has the phase that each was made of."""
    heads = {phase.number: f"// phase {phase.number}: {phase.nest.place}" for phase in plan.phases()}
    where = plan.method.position(plan.method.function)
    file = where.file.replace("\\", "/").rpartition("/")[2]
    parts = [
        *unit.functions.values(),
        *unit.structs.values(),
        *unit.helpers.values(),
        *(f"{heads[made[kernel.name]]}\n{kernel.text}" for kernel in kernels),
    ]
    head = [f"// Kernels of `{plan.method.qualname}` ({file}:{where.line}); generated by somd."]
    head.append("#pragma OPENCL FP_CONTRACT OFF")
    if any(_uses_doubles(part) for part in parts):
        head.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    if any("LANES" in part for part in parts):
        head.append(f"#define LANES {LANES}")
    return "\n\n".join(["\n".join(head), *parts]) + "\n"


def _uses_doubles(text: str) -> bool:
    """Whether C text mentions double precision: the type, or a constant without the suffix of `float`."""
    code = re.sub(r"^#.*$|//.*$", "", text, flags=re.MULTILINE)
    return re.search(r"\bdouble\b|(?<![\w.])(\d+\.\d*(e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])", code) is not None
