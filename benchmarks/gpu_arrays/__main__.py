"""Times array programs on a GPU by somd, CuPy (the same text) and JAX (the same program under `jit`), data kept there.

    python -m benchmarks.gpu_arrays [--device gpu] [--only jacobi,softmax] [--numbers 16000000] [--repeat 5] [--calls 3]

A time is that of the host's clock around `calls` calls and the end of all that they began, divided by `calls`:
launches and the host's work count for everyone. All run in turn, on copies of the same arrays, and must find the same
numbers at the first call. A call whose time does not count goes before, for everyone: it takes the device's change
from OpenCL to CUDA or back, which says nothing of either. Prints the medians in milliseconds, the better library's
over ours, and the geometric means over the programs of each library's time over ours and of the better one's. A
library that is not installed, or finds no GPU, is left out. Exit status: 0, or 1 if a result was another one, or
something of somd failed.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

import somd
from benchmarks.command_line import count, one_of
from benchmarks.gpu_arrays.programs import PROGRAMS, Arguments, Program

Call = Callable[[], Any]
OURS = "somd"


class Contender:
    """Someone who runs programs: `prepare` gives a call of one, on arrays of its own, and `finish` waits for its end.

    `results` are the arrays that a call has made or changed, as NumPy's.
    """

    name = OURS

    def prepare(self, program: Program, given: Arguments) -> Call:
        method = somd.somd(program.text)
        own = [somd.to_device(each) if isinstance(each, np.ndarray) else each for each in given]
        self._own = own
        return lambda: method(*own)

    def finish(self, made: Any) -> None:
        next(each for each in self._own if hasattr(each, "array")).array.queue.finish()

    def results(self, program: Program, made: Any) -> list[np.ndarray]:
        found = [self._own[k] for k in program.changed] if program.changed else [made]
        return [self.to_numpy(each) for each in found]

    def to_numpy(self, array: Any) -> np.ndarray:
        return np.asarray(array.get() if hasattr(array, "get") else array)


class NumPy(Contender):
    """The text as it is, on the host: a check of the benchmark itself."""

    name = "NumPy"
    namespace: Any = np

    def prepare(self, program: Program, given: Arguments) -> Call:
        text = program.form(self.namespace)
        own = [self.namespace.array(each) if isinstance(each, np.ndarray) else each for each in given]
        self._own = own
        return lambda: text(*own)

    def finish(self, made: Any) -> None:
        return None


class CuPy(NumPy):
    name = "CuPy"

    def __init__(self) -> None:
        import cupy  # type: ignore[import-not-found]

        cupy.zeros(1)
        self.namespace = cupy

    def finish(self, made: Any) -> None:
        self.namespace.cuda.Device().synchronize()


class Jax(Contender):
    name = "JAX"

    def __init__(self, any_device: bool = False) -> None:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax  # type: ignore[import-not-found]

        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu" and not any_device:
            raise RuntimeError("no GPU")
        self.jax = jax

    def prepare(self, program: Program, given: Arguments) -> Call:
        numbers = self.jax.numpy
        constants = [k for k, each in enumerate(given) if not isinstance(each, np.ndarray)]
        compiled = self.jax.jit(lambda *all_: program.jax(numbers, *all_), static_argnums=constants)
        own = [numbers.asarray(each) if isinstance(each, np.ndarray) else each for each in given]
        return lambda: compiled(*own)

    def finish(self, made: Any) -> None:
        self.jax.block_until_ready(made)

    def results(self, program: Program, made: Any) -> list[np.ndarray]:
        return [np.asarray(each) for each in (made if isinstance(made, tuple) else (made,))]


def installed(wanted: Sequence[str]) -> list[Contender]:
    """Those of the others that are here."""
    found: list[Contender] = []
    for name, make in (("NumPy", NumPy), ("CuPy", CuPy), ("JAX", Jax)):
        if name in wanted:
            try:
                found.append(make())
            except Exception as error:  # whatever hinders a library
                print(f"{name} is left out: {error}")
    return found


def seconds(contender: Contender, call: Call, calls: int) -> float:
    contender.finish(call())
    begin, made = perf_counter(), None
    for _ in range(calls):
        made = call()
    contender.finish(made)
    return (perf_counter() - begin) / calls


def measured(
    program: Program, contenders: Sequence[Contender], numbers: int, repeat: int, calls: int
) -> tuple[dict[str, float], list[str]]:
    """The median seconds of each, and what went wrong."""
    given, wrong = program.inputs(numbers), []
    running: dict[str, tuple[Contender, Call]] = {}
    expected: list[np.ndarray] | None = None
    for each in contenders:
        try:
            call = each.prepare(program, given)
            made = call()
            each.finish(made)
            found = each.results(program, made)
        except Exception as error:  # no such function, out of memory
            wrong.append(f"{program.name}, {each.name}: {type(error).__name__}: {str(error)[:200]}")
            continue
        running[each.name] = each, call
        if expected is None:
            expected = found
        elif not all(
            np.allclose(mine, other, rtol=1e-6, atol=1e-8) for mine, other in zip(expected, found, strict=True)
        ):
            wrong.append(f"{program.name}: {each.name} finds other numbers than {contenders[0].name}")
    times: dict[str, list[float]] = {name: [] for name in running}
    for _ in range(repeat):
        for name, (contender, call) in running.items():
            times[name].append(seconds(contender, call, calls))
    return {name: statistics.median(each) for name, each in times.items()}, wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit status."""
    names = {program.name: program for program in PROGRAMS}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_arrays")
    add = parser.add_argument
    add("--device", default=None)
    add("--only", type=lambda text: [one_of(name, names) for name in text.split(",")], default=list(names))
    add("--numbers", type=count, default=16_000_000)
    add("--repeat", type=count, default=5)
    add("--calls", type=count, default=3)
    add("--beside", type=lambda text: text.split("+"), default=["CuPy", "JAX"])
    options = parser.parse_args(arguments)
    wrong: list[str] = []
    ratios: dict[str, list[float]] = {}
    with somd.use(target="opencl", device=options.device):
        contenders = [Contender(), *installed(options.beside)]
        print(f"{'milliseconds':16}" + "".join(f"{each.name:>11}" for each in contenders) + f"{'ratio':>11}")
        for name in options.only:
            found, failed = measured(names[name], contenders, options.numbers, options.repeat, options.calls)
            wrong += failed
            others = {each: time / found[OURS] for each, time in found.items() if each != OURS and OURS in found}
            for each, ratio in (*others.items(), *((("better", min(others.values())),) if others else ())):
                ratios.setdefault(each, []).append(ratio)
            line = "".join(f"{found[e.name] * 1e3:11.3f}" if e.name in found else f"{'-':>11}" for e in contenders)
            print(f"{name:16}{line}" + (f"{min(others.values()):11.2f}" if others else ""), flush=True)
    for each, values in ratios.items():
        print(f"{each + ' over ours':16}, geometric mean of {len(values)}: {statistics.geometric_mean(values):.2f}")
    for each in wrong:
        print(each)
    return 1 if any("other numbers" in each or f", {OURS}: " in each for each in wrong) else 0


if __name__ == "__main__":
    raise SystemExit(main())
