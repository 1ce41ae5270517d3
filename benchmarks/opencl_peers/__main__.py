"""Times kernels written by hand and those that are generated, in turn, by the device's own clock.

    python -m benchmarks.opencl_peers [--device gpu] [--only dot,matvec] [--scale 1] [--repeat 9]

Prints the median time of the kernels of a call, ours and the fastest by hand, their ratio, and the bandwidth.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import somd
from benchmarks.opencl_peers.cases import cases
from benchmarks.opencl_peers.hand import Case, Hand
from somd.runtime.opencl import select, watch_launches
from somd.runtime.opencl.drivers import pyopencl


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    hand = _hand(options.device)
    wanted = options.only.split(",") if options.only else []
    print(f"{hand.queue.device.name}: milliseconds, medians of {options.repeat}")
    with somd.use(target="opencl"):
        for case in cases(options.scale):
            if not wanted or case.name in wanted:
                print(_row(case, hand, options.repeat), flush=True)


def _hand(device: str | None) -> Hand:
    """The program on a queue that keeps times."""
    cl = pyopencl()
    handle = select(device).handle
    context = cl.Context([handle])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    source = (Path(__file__).parent / "kernels.cl").read_text()
    has = handle.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    options = ["-cl-fp32-correctly-rounded-divide-sqrt"] if has else []
    exact = cl.Program(context, f"#pragma OPENCL FP_CONTRACT OFF\n{source}").build(options)
    return Hand(cl, context, queue, cl.Program(context, source).build(), exact)


def _row(case: Case, hand: Hand, repeat: int) -> str:
    import pyopencl.array as arrays

    given = [arrays.to_device(hand.queue, array) for array in case.arrays()]
    start = [array.copy() for array in given]
    times: dict[str, list[float]] = {}
    results: dict[str, Any] = {}
    for repetition in range(repeat + 1):
        for name in ("ours", *case.theirs):
            for array, before in zip(given, start, strict=True):
                array[...] = before
            hand.queue.finish()
            if name != "ours":
                events = case.theirs[name](hand, *given)
            elif case.name == "copy":
                continue
            else:
                with watch_launches() as launched:
                    case.ours(*given)
                events = [event for _, event in launched]
            hand.queue.finish()
            if repetition:  # the first run compiles
                times.setdefault(name, []).append(_seconds(events))
            elif case.check is not None:
                results[name] = given[case.check].get()
    for name, result in results.items():
        if case.bitwise or name == "in order":
            assert np.array_equal(result, results["ours"]), f"{case.name}, {name}: other bits than ours"
        assert np.allclose(result, results["ours"], rtol=case.rtol), f"{case.name}, {name}: other numbers than ours"
    medians = {name: statistics.median(found) for name, found in times.items()}
    ours = medians.pop("ours", None)
    best = min(medians, key=lambda name: medians[name])
    texts = [f"{name} {median * 1e3:.3f}" for name, median in medians.items()]
    bandwidth = f"{case.moved / medians[best] / 1e9:.0f} GB/s"
    if ours is None:
        return f"{case.name:13} {', '.join(texts)} ({bandwidth})"
    own, ratio = f"{case.moved / ours / 1e9:.0f} GB/s", ours / medians[best]
    return f"{case.name:13} ours {ours * 1e3:.3f} ({own}), {', '.join(texts)} ({bandwidth}): ratio {ratio:.2f}"


def _seconds(events: Sequence[Any]) -> float:
    for event in events:  # a call with arrays of the device ends before its kernels
        event.wait()
    return float(sum(event.profile.end - event.profile.start for event in events)) * 1e-9


if __name__ == "__main__":
    main()
