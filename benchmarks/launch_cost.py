"""What a turn of a loop around a `sync` block costs on an OpenCL device, beside a bare pyopencl launch.

    python -m benchmarks.launch_cost [--device gpu] [--turns 2000] [--repeat 7]

Both launch a kernel of a few work-items over and over, so that host time is all there is: ours by a SOMD method whose
loop has one, two or three phases, the bare one by `enqueue_nd_range_kernel` of a kernel object whose arguments are set
once. Prints medians of the time for one kernel.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import somd
from somd import dist, sync
from somd.runtime.opencl import select, to_device
from somd.runtime.opencl.context import context_for

SOURCE = "__kernel void halve(__global float *a, long n) { long i = get_global_id(0); if (i < n) a[i] *= 0.5f; }"
ITEMS = 64


@somd.somd
def one_phase(a: dist[np.ndarray], turns: int) -> None:
    """A kernel a turn."""
    for _ in range(turns):
        with sync:
            for i in range(len(a)):
                a[i] *= np.float32(0.5)


@somd.somd
def red_black(a: dist[np.ndarray], turns: int) -> None:
    """A kernel a turn, with arguments that change."""
    for p in range(turns):
        with sync:
            for i in range(1 + p % 2, len(a) - 1, 2):
                a[i] = np.float32(0.5) * (a[i - 1] + a[i + 1])


@somd.somd
def three_phases(a: dist[np.ndarray], b: dist[np.ndarray], turns: int) -> None:
    """Three kernels a turn."""
    for p in range(turns):
        for i in range(len(a)):
            b[i] = a[i] + np.float32(p)
        for i in range(1, len(a)):
            a[i] = b[i - 1]
        for i in range(1, len(a)):
            b[i] = a[i - 1]


def bare(device: str | None, turns: int) -> Callable[[], None]:
    """As many launches by pyopencl alone."""
    context = context_for(select(device))
    cl, queue = context.cl, context.queue
    kernel = cl.Kernel(cl.Program(context.handle, SOURCE).build(), "halve")
    buffer = cl.Buffer(context.handle, cl.mem_flags.READ_WRITE, 4 * ITEMS)
    kernel.set_args(buffer, np.int64(ITEMS))

    def launches(arguments: tuple[object, ...] = (buffer,)) -> None:  # the driver does not keep the buffer
        for _ in range(turns):
            cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (ITEMS,))

    return launches


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default=None)
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    turns, queue = options.turns, context_for(select(options.device)).queue
    a, b = (to_device(np.ones(ITEMS, np.float32), options.device) for _ in range(2))
    cases: dict[str, tuple[int, Callable[[], object]]] = {
        "bare pyopencl": (1, bare(options.device, turns)),
        "one phase": (1, lambda: one_phase(a, turns)),
        "one phase, changing arguments": (1, lambda: red_black(a, turns)),
        "three phases": (3, lambda: three_phases(a, b, turns)),
    }
    enqueued: dict[str, list[float]] = {name: [] for name in cases}
    done: dict[str, list[float]] = {name: [] for name in cases}
    with somd.use(target="opencl", device=options.device):
        for repetition in range(options.repeat + 1):
            for name, (kernels, run) in cases.items():
                queue.finish()
                start = time.perf_counter()
                run()
                middle = time.perf_counter()
                queue.finish()
                if repetition:  # the first run compiles
                    enqueued[name].append((middle - start) / turns / kernels)
                    done[name].append((time.perf_counter() - start) / turns / kernels)
    print(f"{select(options.device)}: microseconds for a kernel, medians of {options.repeat} times {turns} turns")
    for name in cases:
        returned, finished = (statistics.median(times[name]) * 1e6 for times in (enqueued, done))
        print(f"{name:30} {returned:7.2f} until the call returns {finished:7.2f} until the device is done")


if __name__ == "__main__":
    main()
