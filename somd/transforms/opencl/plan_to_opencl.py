"""`Plan` and types -> OpenCL: kernels in OpenCL C, and the master as a Python module.

It reads the plan only; what it has no form for it refuses with `TargetLacks`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from somd.language.raising import FAULT_ROWS, fault_row, slots
from somd.runtime.blocks import BLOCKS, LANES
from somd.settings.targets import TargetLacks
from somd.transforms.emit.c_guards import DEFINITIONS
from somd.transforms.emit.c_tree import DOUBLES, OF_DOUBLES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.fence_table import fences_text
from somd.transforms.loops.plan_to_loops import plan_to_loops
from somd.transforms.loops.program import Region, Scan
from somd.transforms.loops.ranges import LONGEST, farthest_constant
from somd.transforms.loops.walking import statements_in
from somd.transforms.opencl.arguments import Kernel
from somd.transforms.opencl.atomic_kernels import atomic_kernels_of
from somd.transforms.opencl.chain_kernels import chain_kernel_of
from somd.transforms.opencl.combining_kernels import combining_kernel_of, joining_kernel_of
from somd.transforms.opencl.ending_kernels import ending_kernel_of
from somd.transforms.opencl.host import Kernels, host_module
from somd.transforms.opencl.kept import Kept, kept_on_device
from somd.transforms.opencl.kernels import kernel_of
from somd.transforms.opencl.local_tables import without_tables
from somd.transforms.opencl.once_kernels import once_kernel_of
from somd.transforms.opencl.ordered_kernels import ordered_kernel_of
from somd.transforms.opencl.packed_kernels import finer_kernel_of, packed_kernel_of
from somd.transforms.opencl.reduction_kernels import reduction_kernel_of
from somd.transforms.opencl.row_fusion import together
from somd.transforms.opencl.row_kernels import row_kernel_of
from somd.transforms.opencl.runs_kernels import RUNS, TERMS, runs_kernel_of
from somd.transforms.opencl.scan_kernels import scan_kernels_of
from somd.transforms.opencl.short_row_kernels import row_walks_kernel_of, short_row_kernel_of
from somd.transforms.opencl.staged_row_kernels import staged_row_kernel_of
from somd.transforms.opencl.striding_kernels import needs_rows, striding_kernel_of
from somd.transforms.opencl.striped_kernels import striped_kernel_of
from somd.transforms.opencl.term_kernels import term_kernel_of
from somd.transforms.opencl.tiled_kernels import kernel_of_few_columns, tiled_kernel_of
from somd.transforms.opencl.turned_kernels import turned_kernel_of
from somd.transforms.opencl.walked_kernels import walked_kernel_of
from somd.transforms.opencl.wide_kernels import wide_kernel_of
from somd.transforms.plan.claimed_scans import for_many
from somd.transforms.raise_rows import kind_of
from somd.transforms.reserved import apart
from somd.transforms.schedules import schedule_of, scheduled
from somd.transforms.stages import Nest, Phase, Plan, Serial, nested_steps, relies_on_partition, written_arrays
from somd.transforms.stages import Scan as Scanned
from somd.transforms.tree.loops import small_statements
from somd.transforms.types.typing_table import Types

#: the kernels of work-groups, each kind with what makes one where it can
GROUPED = {
    "wide": wide_kernel_of,
    "tiled": tiled_kernel_of,
    "striped": striped_kernel_of,
    "walked": walked_kernel_of,
    "packed": packed_kernel_of,
    "terms": term_kernel_of,
    "short": short_row_kernel_of,
    "turned": turned_kernel_of,
}
#: what makes one with smaller tiles, for nests that have few
FINER = {"tiled": kernel_of_few_columns, "packed": finer_kernel_of}


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
    #: whether `entry` is not the method's own name
    renamed: bool = False
    #: what the fences call: (name in the method, dtype, whether it is a Python number)
    fences: str = ""


def module_text(code: OpenCLCode) -> str:
    """Master and kernels as one module, for `OpenCLCall`."""
    text = code.kernels.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    fences = f"FENCES = {code.fences}\n" if code.fences else ""
    fences += f"MASTER = {code.entry!r}\n" if code.renamed else ""
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
    name, plan = plan.method.name, for_many(plan)
    program = scheduled(plan_to_loops(plan, types), schedule_of("opencl"))
    kept = kept_on_device(plan, types, program)
    unit = Unit(_kernel_names(plan, kept), program, types.names, kept.names, fused=plan.method.fastmath)
    kernels = Kernels()
    regions = {each.number: each for each in statements_in(program.body) if isinstance(each, Region)}
    for phase in plan.phases():
        _add(kernels, phase, regions[phase.number], plan, unit)
    nests = {phase.number: phase.nest for phase in plan.phases()}
    for scan in (each for each in statements_in(program.body) if isinstance(each, Scan)):
        plain = replace(scan, totals=without_tables(scan.totals), region=without_tables(scan.region))
        both = nests[scan.totals.number], nests[scan.region.number]
        made = scan_kernels_of(plain, both, partial(_scan_name, unit, f"{name}_{scan.region.number}"), unit)
        if made is not None:
            kernels.scans[scan.region.number] = made
    for found in () if kept.names or kept.moved else together(plan, regions, types):
        plainly = [without_tables(regions[phase.number]) for phase in found.phases]
        by_rows = row_kernel_of(found, plainly, unit.kernel_names[f"{name}_{found.number}_rows"], unit)
        if by_rows is not None:
            kernels.by_rows.append(by_rows)
    for number, step in enumerate(kept.moved, 1):
        once = unit.kernel_names[f"{name}_once_{number}"]
        kernels.once[number] = once_kernel_of(step, once, unit)
    for phase in plan.phases():
        if phase.number in kept.ended:
            end = unit.kernel_names[f"{name}_{phase.number}_end"]
            kernels.endings[phase.number] = ending_kernel_of(phase.nest, end, unit)
    dtypes = [argument.dtype for kernel in kernels.all for argument in kernel.arguments]
    dtypes += [kind.dtype for kind in kept.names.values()]
    unit.needs |= {DOUBLES for dtype in dtypes if dtype in OF_DOUBLES}
    text = _program(plan, types, unit, kernels, kept)
    return OpenCLCode(
        kernels=text,
        host=host_module(plan, types, kernels, kept).code,
        kernel_names=tuple(kernel.name for kernel in kernels.all),
        entry=apart(name),
        renamed=apart(name) != name,
        fences=fences_text(plan, types),
        doubles=DOUBLES in unit.needs,
        written=tuple(k for k, param in enumerate(plan.method.param_names) if param in written_arrays(plan)),
    )


def _scan_name(unit: Unit, phase: str, kind: str) -> str:
    return unit.kernel_names[f"{phase}_{kind}"]


def _kernel_names(plan: Plan, kept: Kept) -> list[str]:
    """The names that the kernels should have."""
    name = plan.method.name
    wanted = [f"{name}_{phase.number}" for phase in plan.phases()]
    wanted += [f"{name}_{p.number}_in_order" for p in plan.phases() if p.nest.in_order_if]
    wanted += [f"{name}_{p.number}_{each.array}_joined" for p in plan.phases() for each in p.nest.combined]
    wanted += [f"{name}_{p.number}_{kind}" for p in plan.phases() if p.nest.combined for kind in ("local", "shared")]
    wanted += [
        f"{name}_{phase.number}_{kind}"
        for phase in plan.phases()
        for kind in (*GROUPED, "staged", "finer", "chains", "runs", "rows")
    ]
    scans = [step for step in nested_steps(plan.body) if isinstance(step, Scanned)]
    for step in scans:
        kinds = ["totals", *(f"carries_{k}" for k in range(len(step.carries)))]
        wanted += [f"{name}_{step.phase.number}_{kind}" for kind in kinds]
    wanted += [f"{name}_once_{number}" for number in range(1, len(kept.moved) + 1)]
    return wanted + [f"{name}_{number}_end" for number in sorted(kept.ended)]


def _add(kernels: Kernels, phase: Phase, region: Region, plan: Plan, unit: Unit) -> None:
    """Enter the kernels of a phase.

    Raises:
        TargetLacks: it has a construct without a form in OpenCL C.
    """
    nest, method, number = phase.nest, plan.method, phase.number
    plain = without_tables(region)
    c_name = unit.kernel_names[f"{method.name}_{number}"]
    if nest.in_order_if and (nest.reductions or nest.combined):
        raise TargetLacks("a reduction whose iterations a negative index would make dependent", nest.position)
    if relies_on_partition(plan, nest) and nest.relaxed is not None:
        raise TargetLacks("a relaxed loop that relies on a partitioner", nest.position)
    if nest.copies and nest.partition not in (None, *method.param_names):
        raise TargetLacks(f"partial results of the parts of a local, `{nest.partition}`", nest.position)
    if any(farthest_constant(loop.start, loop.stop) > LONGEST for loop in region.loops):
        raise TargetLacks("a loop near the ends of 64 bits", nest.position)  # which work-items beyond it would leave
    if nest.copies or relies_on_partition(plan, nest):
        kernels.of_phases[number] = ordered_kernel_of(nest, plain, c_name, unit, by_ends=not nest.copies)
        runs = runs_kernel_of(nest, plain, unit.kernel_names[f"{method.name}_{number}_runs"], plan, unit)
        if runs is not None:
            kernels.runs[number] = runs
    elif nest.combined:
        kernels.of_phases[number] = combining_kernel_of(nest, plain, c_name, unit)
        names = {each.array: unit.kernel_names[f"{method.name}_{number}_{each.array}_joined"] for each in nest.combined}
        kernels.joining[number] = {e.array: joining_kernel_of(e, names[e.array], unit) for e in nest.combined}
        atomic_names = tuple(unit.kernel_names[f"{method.name}_{number}_{kind}"] for kind in ("local", "shared"))
        atomic = atomic_kernels_of(nest, plain, atomic_names, unit)
        if atomic is not None:
            kernels.atomic[number] = atomic
    elif nest.reductions:
        kernels.of_phases[number] = reduction_kernel_of(nest, region, c_name, unit)
    else:
        rows = needs_rows(nest, unit)
        made = striding_kernel_of(nest, plain, c_name, unit) if rows else kernel_of(nest, region, c_name, unit)
        kernels.of_phases[number] = made
        if nest.in_order_if:
            ordered_name = unit.kernel_names[f"{method.name}_{number}_in_order"]
            kernels.in_order[number] = ordered_kernel_of(nest, plain, ordered_name, unit)
        staged = staged_row_kernel_of(nest, plain, unit.kernel_names[f"{method.name}_{number}_staged"], unit)
        grouped = _grouped(nest, plain, f"{method.name}_{number}", unit)
        grouped = grouped if staged is None else (staged, *grouped)
        if grouped:
            kernels.grouped[number] = grouped


def _grouped(nest: Nest, region: Region, name: str, unit: Unit) -> tuple[Kernel, ...]:
    """The kernel of work-groups of a phase, if it has one, and that with smaller tiles; before a tiled one, or alone,
    that of long chains."""
    for kind, made_by in GROUPED.items():
        found = made_by(nest, region, unit.kernel_names[f"{name}_{kind}"], unit)
        if found is None:
            continue
        chains = chain_kernel_of(nest, region, unit.kernel_names[f"{name}_chains"], unit) if kind == "tiled" else None
        if chains is not None:
            return (chains, found)
        walks = row_walks_kernel_of(nest, region, unit.kernel_names[f"{name}_short"], unit) if kind == "tiled" else None
        made = FINER[kind](nest, region, unit.kernel_names[f"{name}_finer"], unit) if kind in FINER else None
        return tuple(each for each in (walks, found, made) if each is not None)
    return ()


def _program(plan: Plan, types: Types, unit: Unit, kernels: Kernels, kept: Kept) -> str:
    """The text of all kernels, each with the phase or the statements that it was made of."""
    heads = {phase.number: f"// phase {phase.number}: {phase.nest.place}" for phase in plan.phases()}
    once = {number: f"// {_lines(step, plan)}" for number, step in enumerate(kept.moved, 1)}
    where = plan.method.position(plan.method.function)
    file = where.file.replace("\\", "/").rpartition("/")[2]
    parts = [
        *unit.functions.values(),
        *unit.structs.values(),
        *unit.helpers.values(),
        *([unit.kept_struct()] if unit.kept else []),
        *(f"{heads[number]}\n{kernel.text}" for number, kernel in kernels.by_phase),
        *(f"{once[number]}\n{kernel.text}" for number, kernel in kernels.once.items()),
    ]
    head = [f"// Kernels of `{plan.method.qualname}` ({file}:{where.line}); generated by somd."]
    head.append("#pragma OPENCL FP_CONTRACT OFF")
    if DOUBLES in unit.needs:
        head.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    constants = {
        "LANES": LANES,
        "BLOCKS": BLOCKS,
        "RUNS": RUNS,
        "TERMS": TERMS,
        "FAULT_ROWS": FAULT_ROWS,
        "FAULT_ROW": fault_row(max((slots(map(kind_of, kinds)) for kinds in types.raised.values()), default=0)),
    }
    head += [f"#define {constant} {value}" for constant, value in constants.items() if constant in unit.needs]
    head += [text for macro, text in DEFINITIONS.items() if macro in unit.needs]
    return "\n\n".join(["\n".join(head), *parts]) + "\n"


def _lines(step: Serial, plan: Plan) -> str:
    """The user's lines that a serial step is made of."""
    known = (plan.method.positions.get(node) for node in small_statements(step.statements))
    lines = [position.line for position in known if position is not None]
    first, last = min(lines, default=0), max(lines, default=0)
    return f"once, line {first}" if first == last else f"once, lines {first} to {last}"
