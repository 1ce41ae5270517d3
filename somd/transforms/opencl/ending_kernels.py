"""The end of a phase's reductions on the device -> a kernel of one work-group, for scalars that stay there.

total = reduce_sum(total, total_partials.to_host())   ->   kept->total = kept->total + (partial results, by pairs of
                                                           neighbours, level by level: the master's tree)
"""

from __future__ import annotations

from collections.abc import Mapping

from somd.language.operators import OPERATORS
from somd.transforms.emit.c_reductions import combined
from somd.transforms.emit.c_taking import taking_of
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.opencl.arguments import Argument, Kernel
from somd.transforms.opencl.kernels import kernel_text
from somd.transforms.stages import Nest, Reduction


def ending_kernel_of(nest: Nest, name: str, unit: Unit) -> Kernel:
    """The kernel that combines the partial results of a nest with what the scalars held before."""
    unit.needs |= {"LANES", "BLOCKS"}
    writers = [_Ending(number, reduction, unit) for number, reduction in enumerate(nest.reductions)]
    lines = [line for w in writers for line in w.declared]
    lines.append("const long lane = get_local_id(0);")
    lines.append("for (long block = lane; block < blocks; block += LANES) {")
    lines += [f"    {line}" for w in writers for line in w.taken]
    lines += ["}", "barrier(CLK_LOCAL_MEM_FENCE);"]
    lines.append("for (long width = 1; width < blocks; width *= 2) {")
    lines.append("    for (long block = 2 * width * lane; block + width < blocks; block += 2 * width * LANES) {")
    lines += [f"        {line}" for w in writers for line in w.joined]
    lines += ["    }", "    barrier(CLK_LOCAL_MEM_FENCE);", "}"]
    lines += ["if (lane == 0 && blocks > 0) {", *(f"    {line}" for w in writers for line in w.kept), "}"]
    slots = [a for w in writers for a in w.arguments]
    arguments = [*slots, Argument("kept", "kept"), Argument("blocks", "blocks")]
    return Kernel(name, kernel_text(name, arguments, [f"    {line}" for line in lines]), tuple(arguments))


class _Ending:
    """The lines for one reduction. A left neighbour is of earlier iterations, so it stays where both are equal and
    the first one counts."""

    def __init__(self, number: int, reduction: Reduction, unit: Unit) -> None:
        kinds: Mapping[str, str] = {name: unit.kept[name].dtype for name in (reduction.name, *reduction.companions)}
        dtype = kinds[reduction.name]
        partials = {name: f"partials_{number}_{k}" for k, name in enumerate(kinds)}
        self.arguments = [Argument("partials", partials[n], n, dtype=kinds[n], constant=True) for n in kinds]
        values, blocks = f"values_{number}", f"blocks_{number}"
        mine, other = f"{values}[block]", f"{values}[block + width]"
        self.declared = [f"__local {CTYPES[dtype]} {values}[BLOCKS];"]
        self.taken = [f"{mine} = {partials[reduction.name]}[block];"]
        kept = f"kept->{unit.members[reduction.name]}"
        if not OPERATORS[reduction.op].better:
            self.joined = [f"{mine} = {combined(reduction.op, C(mine, dtype), C(other, dtype), dtype, unit).loose};"]
            self.kept = [
                f"{kept} = {combined(reduction.op, C(kept, dtype), C(f'{values}[0]', dtype), dtype, unit).loose};"
            ]
            return
        sign = OPERATORS[reduction.op].better + ("=" if taking_of(reduction, dtype).equal else "")
        self.joined = [f"if ({other} {sign} {mine}) {{", f"    {mine} = {other};", "}"]
        self.kept = [f"if ({values}[0] {sign} {kept}) {{", f"    {kept} = {values}[0];", "}"]
        if reduction.companions:
            self.declared.append(f"__local long {blocks}[BLOCKS];")
            self.taken.append(f"{blocks}[block] = block;")
            self.joined.insert(2, f"    {blocks}[block] = {blocks}[block + width];")
        for name in reduction.companions:
            self.kept.insert(-1, f"    kept->{unit.members[name]} = {partials[name]}[{blocks}[0]];")
