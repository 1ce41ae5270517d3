"""The runs of equal keys in an array that is on a device: where each begins, and its key, listed there.

Out: two arrays on the device. How many runs there are comes to the host, and whether the keys are in ascending order
and 32 bits hold them.
"""

from __future__ import annotations

import numpy as np

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.device_cutting import TYPES
from somd.runtime.opencl.programs import build
from somd.runtime.opencl.session import Run

#: work-items of a group, and keys that one looks at
GROUP, EACH = 256, 8
KERNELS = """\
#define BEGINS(k) ((k) == 0 || keys[(k) - 1] != keys[k])

// counts[g]: the runs that begin in the keys of group g; found[1]: whether keys are out of order or too large
__kernel void count_runs(__global const KEY *keys, long count, __global int *counts, __global int *found)
{
    __local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long first = (long)get_global_id(0) * EACH, stop = min(first + EACH, count);
    int own = 0;
    for (long k = first; k < stop; k++) {
        own += BEGINS(k);
        if ((long)keys[k] < 0 || (long)keys[k] > 0x7fff0000 || (k + 1 < count && keys[k] > keys[k + 1]))
            atomic_or(&found[1], 1);
    }
    atomic_add(&sum, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = sum;
}

// what each work-item gave in `sums` becomes the sum of those before it; the sum of all is returned
static int before(__local int *sums)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = 0;
    if (get_local_id(0) == 0) {
        for (int item = 0; item < GROUP; item++) {
            const int own = sums[item];
            sums[item] = total;
            total += own;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

// counts[g]: the runs that begin before the keys of group g; found[0]: all of them
__kernel void place_runs(__global int *counts, long groups, __global int *found)
{
    __local int sums[GROUP];
    const long share = (groups + GROUP - 1) / GROUP, first = get_local_id(0) * share;
    const long stop = min(first + share, groups);
    int own = 0;
    for (long group = first; group < stop; group++)
        own += counts[group];
    sums[get_local_id(0)] = own;
    const int total = before(sums);
    if (get_local_id(0) == 0)
        found[0] = total;
    int place = sums[get_local_id(0)];
    for (long group = first; group < stop; group++) {
        const int here = counts[group];
        counts[group] = place;
        place += here;
    }
}

__kernel void list_runs(__global const KEY *keys, long count, __global const int *counts, __global int *ends,
                        __global int *first_keys, long runs)
{
    __local int sums[GROUP];
    const long first = (long)get_global_id(0) * EACH, stop = min(first + EACH, count);
    int own = 0;
    for (long k = first; k < stop; k++)
        own += BEGINS(k);
    sums[get_local_id(0)] = own;
    before(sums);
    int place = counts[get_group_id(0)] + sums[get_local_id(0)];
    for (long k = first; k < stop; k++) {
        if (BEGINS(k)) {
            ends[place] = (int)k;
            first_keys[place++] = (int)keys[k];
        }
    }
    if (get_global_id(0) == 0)
        ends[runs] = (int)count;
}
"""
NAMES = ("count_runs", "place_runs", "list_runs")


def runs_on_device(run: Run, keys: Managed) -> tuple[Managed, Managed] | None:
    """Where the runs of `keys` end, shape (runs + 1,), from 0 on, and their keys, shape (runs,), as 32-bit integers;
    None where these do not hold them, or the keys are no integers in ascending order. `keys` has less than 2^31
    elements, at least one."""
    count, kind = keys.shape[0], TYPES.get(keys.dtype.name)
    if kind is None:
        return None
    program = build(run.context, f"#define KEY {kind}\n#define GROUP {GROUP}\n#define EACH {EACH}\n{KERNELS}")
    groups = -(-count // (GROUP * EACH))
    with Run(run.context, program, NAMES) as own:
        counts, found = own.empty(groups, np.int32), own.zeros(2, np.int32)
        own.launch_groups("count_runs", groups, GROUP, (keys, count, counts, found), (keys,), (counts, found))
        own.launch_groups("place_runs", 1, GROUP, (counts, groups, found), (), (counts, found))
        runs, other = (int(value) for value in found.to_host())
        if other:
            return None
        ends, first_keys = own.empty(runs + 1, np.int32), own.empty(runs, np.int32)
        args = keys, count, counts, ends, first_keys, runs
        own.launch_groups("list_runs", groups, GROUP, args, (keys, counts), (ends, first_keys))
    return ends, first_keys
