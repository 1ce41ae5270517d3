"""`ByKey` for keys that are on a device: they are cut there, and nothing of them comes to the host but one flag.

Sorted keys are cut at the boundaries of runs that are nearest to equal parts, as the partitioner itself does it. Keys
in another order, which a cut must be looked for in, are left to the host.
"""

from __future__ import annotations

import numpy as np

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.programs import build
from somd.runtime.opencl.session import Run

KERNELS = """\
__kernel void flag_disorder(__global const KEY *keys, long count, __global int *disorder)
{
    for (long k = get_global_id(0); k < count; k += get_global_size(0)) {
        if (NEGATIVE(keys[k]) || (k + 1 < count && keys[k] > keys[k + 1]))
            atomic_or(disorder, 1);
    }
}

static long first_from(__global const KEY *keys, long count, KEY key, int beyond)
{
    long low = 0, high = count;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (keys[middle] < key || (beyond && keys[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__kernel void cut_sorted(__global const KEY *keys, long count, long parts, __global long *ends)
{
    const long part = get_global_id(0);
    if (part > parts)
        return;
    const long target = part * (count / parts) + min(part, count % parts);
    if (part == 0 || part == parts) {
        ends[part] = part == 0 ? 0 : count;
        return;
    }
    const long low = first_from(keys, count, keys[target], 0), high = first_from(keys, count, keys[target], 1);
    if (low > 0 && high < count)
        ends[part] = target - low <= high - target ? low : high;
    else
        ends[part] = low > 0 ? low : high;
}
"""
NAMES = ("flag_disorder", "cut_sorted")
TYPES = {
    "bool": "uchar",
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint",
    "uint64": "ulong",
}
#: work-items that look for disorder, at most
LOOKING = 1 << 16


def ends_on_device(run: Run, keys: Managed, parts: int) -> Managed | None:
    """Where the parts of `keys` end, shape (parts + 1,), from 0 on; some may be empty. None where the keys are not in
    ascending order, or negative, or no integers."""
    count = keys.shape[0]
    kind = TYPES.get(keys.dtype.name)
    if kind is None or len(keys.shape) != 1 or count < 2:
        return None
    parts = min(parts, count)
    test = "(x) < 0" if keys.dtype.kind == "i" else "0"
    source = f"#define KEY {kind}\n#define NEGATIVE(x) ({test})\n{KERNELS}"
    program = build(run.context, source)
    with Run(run.context, program, NAMES) as own:
        disorder = own.zeros(1, np.int32)
        own.launch("flag_disorder", (min(count, LOOKING),), (keys, count, disorder), (keys,), (disorder,))
        if disorder.to_host()[0]:
            return None
        ends = own.empty(parts + 1, np.int64)
        own.launch("cut_sorted", (parts + 1,), (keys, count, parts, ends), (keys,), (ends,))
    return ends
