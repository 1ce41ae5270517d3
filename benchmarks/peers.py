"""The ports of `benchmarks.javagrande` on several cores against the same kernels by hand in Numba and other frameworks.

    python -m benchmarks.peers [--class A|B|C] [--benchmarks sor,crypt] [--frameworks jax,pythran] [--workers 2]
        [--repeat 9] [--pause 0.02] [--clock wall|cpu]

All versions of a kernel run in turn and in one process, on fresh arguments, with equally many threads; every run is
validated. PyOMP, beside which Numba cannot lower its own `prange`, has a process and its turn like the rest.
Between two runs is a pause, in which the threads of the one that has ended stop to spin. Prints the median of each and
its ratio to somd's: above 1, somd is faster. `--clock cpu` adds up the time of all threads, which other work on the
machine disturbs less; it wants `OMP_WAIT_POLICY=passive`, and does not see how well the work is shared out.

The frameworks come with `pip install 'somd[peers]'`; one that is not there is left out with a line that says so. All
live in one environment: PyOMP wants a Numba below 0.68, DaCe before 2.0 a NumPy below 2.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import somd
from benchmarks.frameworks import FRAMEWORKS, SPOILS_NUMBA, Missing, kernels, set_threads
from benchmarks.frameworks.apart import Apart
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import BENCHMARKS, Entry
from benchmarks.timed_run import CLOCKS, seconds

Kernel = Callable[..., Any]
#: the seconds of a validated run of a class, after a pause, by a clock
Run = Callable[[str, float, str], float]
#: a framework's kernels by the port's module, or the process that has them
Framework = dict[str, Kernel] | Apart


def versions(entry: Entry, workers: int, frameworks: dict[str, Framework]) -> dict[str, Run]:
    """The kernels to compare by name, somd's first."""
    import numba

    port = entry.load()

    def annotated(*args: Any) -> Any:
        with somd.use(target="multicore", workers=workers):
            return port.kernel(*args)

    def threaded(kernel: Kernel) -> Kernel:
        def run(*args: Any) -> Any:
            numba.set_num_threads(workers)
            return kernel(*args)

        return run

    by_hand = importlib.import_module(f"benchmarks.hand_written.{entry.module}").PEERS
    compared: dict[str, Run] = {"somd": partial(seconds, port, annotated)}
    for name, kernel in by_hand.items():
        compared[name] = partial(seconds, port, threaded(kernel))
    for name, framework in frameworks.items():
        if isinstance(framework, Apart):
            compared[name] = partial(framework.seconds, entry.name)
        elif entry.module in framework:
            compared[name] = partial(seconds, port, framework[entry.module])
    return compared


def installed(names: list[str]) -> dict[str, Framework]:
    """Those frameworks that can run here; of the others a line is printed."""
    found: dict[str, Framework] = {}
    for name in names:
        try:
            found[name] = Apart.start(name) if name in SPOILS_NUMBA else kernels(name)
        except Missing as reason:
            Console(stderr=True).print(str(reason), markup=False, soft_wrap=True)
    return found


def measure(entry: Entry, compared: dict[str, Run], options: argparse.Namespace) -> dict[str, float]:
    """Median seconds by version, as `options` say; a version that does not validate has none."""
    left = dict(compared)
    samples: dict[str, list[float]] = {name: [] for name in left}
    for repetition in range(options.repeat + 1):
        for name in list(left):
            try:
                taken = left[name](options.size, options.pause, options.clock)
            except InvalidResult as error:
                Console(stderr=True).print(f"{entry.name}, {name}: not valid: {error}")
                del left[name], samples[name]
                continue
            if repetition:  # the first run compiles
                samples[name].append(taken)
    return {name: statistics.median(taken) for name, taken in samples.items()}


def main() -> int:
    """Measure and print; 1 where somd's result was not valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--class", dest="size", choices="ABC", default="A")
    parser.add_argument("--benchmarks", default=",".join(entry.module for entry in BENCHMARKS))
    parser.add_argument("--frameworks", default=",".join(FRAMEWORKS), help="those to try; an empty text for none")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two runs")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: of all threads, for a busy machine")
    options = parser.parse_args()
    wanted = options.benchmarks.lower().split(",")
    named = [name for name in options.frameworks.lower().split(",") if name]
    unknown = (set(wanted) - {entry.module for entry in BENCHMARKS}) | (set(named) - set(FRAMEWORKS))
    if unknown:
        parser.error(f"no such benchmark or framework: {', '.join(sorted(unknown))}")
    set_threads(options.workers)
    frameworks = installed(named)
    table = Table(
        title=f"Class {options.size}, {options.workers} threads, {options.clock} time, medians of {options.repeat}",
        box=box.SIMPLE_HEAD,
    )
    for heading, side in (("kernel", "left"), ("version", "left"), ("ms", "right"), ("over somd", "right")):
        table.add_column(heading, justify="right" if side == "right" else "left")
    valid = True
    for entry in BENCHMARKS:
        if entry.module not in wanted:
            continue
        compared = versions(entry, options.workers, frameworks)
        medians = measure(entry, compared, options)
        valid &= "somd" in medians
        for name, median in medians.items():
            ratio = f"{median / medians['somd']:.2f}" if "somd" in medians else ""
            table.add_row(entry.name, name, f"{median * 1e3:.2f}", ratio)
        table.add_section()
    Console().print(table)
    return 0 if valid else 1


if __name__ == "__main__":
    raise SystemExit(main())
