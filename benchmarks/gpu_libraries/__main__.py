"""Times loops on a GPU and what CuPy, JAX and PyTorch have for the same work, data on the device.

    python -m benchmarks.gpu_libraries [--device gpu] [--only matvec,sum] [--scale 1] [--repeat 7] [--calls 5]

Ours is the time of a call's kernels by the device's own clock; that of CuPy and PyTorch lies between two events around
`calls` calls, and JAX's by the clock of the host around as many. Prints the medians, and the best library's over ours.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy

import somd
from benchmarks.gpu_libraries.cases import Case, cases
from benchmarks.gpu_libraries.libraries import Library, arrays_of, installed, median
from somd.runtime.opencl import select, watch_launches
from somd.runtime.opencl.drivers import pyopencl


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--calls", type=int, default=5)
    options = parser.parse_args()
    cl = pyopencl()
    handle = select(options.device).handle
    context = cl.Context([handle])  # some drivers let go of it with its last name
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    wanted = options.only.split(",") if options.only else []
    libraries = installed()
    print(f"{handle.name}: milliseconds, medians of {options.repeat}")
    with somd.use(target="opencl"):
        for case in cases(options.scale):
            if not wanted or case.name in wanted:
                try:
                    print(_row(case, queue, libraries, options.repeat, options.calls), flush=True)
                except AssertionError as error:
                    print(error, flush=True)


def _row(case: Case, queue: Any, libraries: list[Library], repeat: int, calls: int) -> str:
    given = case.arrays()
    ours, result = _ours(case, queue, given, repeat)
    times: dict[str, float] = {}
    for library in libraries:
        words = (case.special or {}).get(library.name, case.theirs)
        whole = library.compiled(lambda *arrays, words=words, library=library: words(library.namespace, *arrays))
        arrays = arrays_of(library, given)
        try:
            found = whole(*arrays)
            times[library.name] = median(library, lambda whole=whole, arrays=arrays: whole(*arrays), calls, repeat)
        except Exception as error:  # out of memory, or no such function
            print(f"{case.name}, {library.name}: {str(error).splitlines()[0][:100]}")
            continue
        parts = found if isinstance(found, tuple) else (found,)
        for mine, other in zip(result, parts, strict=True):
            right = numpy.allclose(mine, library.to_numpy(other), rtol=case.rtol, atol=case.rtol)
            assert right, f"{case.name}: other numbers than {library.name}'s"
    texts = "".join(f", {name} {seconds * 1e3:.3f}" for name, seconds in times.items())
    rate = f"{case.moved / ours / 1e9:.0f} GB/s" if case.moved else f"{case.counted / ours / 1e12:.2f} TFLOP/s"
    ratio = f": ratio {min(times.values()) / ours:.2f}" if times else ""
    return f"{case.name:19} ours {ours * 1e3:.3f} ({rate}){texts}{ratio}"


def _ours(case: Case, queue: Any, given: Any, repeat: int) -> tuple[float, list[numpy.ndarray]]:
    """The median of the time of our kernels, and what they find."""
    import pyopencl.array as arrays

    times: list[float] = []
    result: list[numpy.ndarray] = []
    here = [arrays.to_device(queue, array) for array in given]
    start = [array.copy() for array in here]
    for repetition in range(repeat + 1):
        for array, before in zip(here, start, strict=True):
            array[...] = before
        queue.finish()
        with watch_launches() as launched:
            made = case.ours(*here)
        if repetition:  # the first call compiles
            events = [event for _, event in launched]
            for event in events:  # a call with arrays of the device ends before its kernels
                event.wait()
            times.append(sum(event.profile.end - event.profile.start for event in events) * 1e-9)
            continue
        found = made if case.check is None else here[case.check].get()
        result = [numpy.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]
    return statistics.median(times), result


if __name__ == "__main__":
    main()
