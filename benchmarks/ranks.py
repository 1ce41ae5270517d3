"""SOR and heat by processes that share the work, and by one: times, and whether the bits are the same.

    python -m benchmarks.ranks [--edge 2048] [--steps 100] [--rounds 5] [--runs 0x2,1x2,2x1]
    python -m benchmarks.ranks --target opencl --edge 16384 --runs 1x1,2x1        one GPU a rank

A run is so many ranks with so many threads each, 0 ranks one process that no launcher has started. Rounds are all runs
in turn. `call` is a whole call; `sweep` what a further sweep of it costs, from calls of one and of three times the
steps, so that what is done once, such as copies to a device, is not in it; both of the slowest rank. `processor` is the
time of all threads of all ranks for a sweep, which load on the machine changes least. Prints medians, and the median of
the first run's time over each in its round. Needs a launcher of MPI and mpi4py.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import zlib
from typing import Any

import numpy as np

from benchmarks.several_devices import heat, sor
from somd import somd
from somd.cli.launch import AS_ROOT, OPEN_MPI, mpiexec
from somd.runtime.mpi import launched

#: the methods, each with how many arrays it takes
METHODS = {"heat": (heat, 2), "sor": (sor, 1)}


@somd
def seeded(edge: int, factor: int) -> np.ndarray:
    """A grid of numbers below 1 without an order, which stays distributed."""
    grid = np.zeros((edge, edge))
    for i in range(edge):
        for j in range(edge):
            grid[i, j] = (i * 7919 + j * factor) % 10007 * 1e-4
    return grid


def of_this_process(edge: int, steps: int) -> dict[str, Any]:
    """Seconds of calls, and what they leave."""
    world = launched.world()
    found: dict[str, Any] = {"ranks": 1 if world is None else world.size}
    for name, (method, count) in METHODS.items():
        arrays = [seeded(edge, 104729 + k) for k in range(count)]
        method(*arrays, 2)
        seconds = []
        for turns in (steps, 3 * steps):
            method(*arrays, 0)  # where ranks wait for each other: all start together
            start, begun = time.perf_counter(), time.process_time()
            method(*arrays, turns)
            seconds.append((time.perf_counter() - start, time.process_time() - begun))
        (call, once), (three, thrice) = seconds
        bits = [zlib.crc32(np.ascontiguousarray(np.asarray(array))) for array in arrays]
        found[name] = {
            "call": call,
            "sweep": (three - call) / (2 * steps),
            "processor": (thrice - once) / (2 * steps),
            "bits": bits,
        }
    return found


def started(ranks: int, threads: int, chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """What each rank of a run has found."""
    launcher = [mpiexec() or "mpiexec", "-n", str(ranks)] if ranks else []
    command = [sys.executable, "-m", "benchmarks.ranks", "--this", "--edge", str(chosen.edge), "--steps"]
    environment = {**os.environ, **OPEN_MPI, **AS_ROOT, "SOMD_TARGET": chosen.target, "SOMD_WORKERS": str(threads)}
    done = subprocess.run([*launcher, *command, str(chosen.steps)], capture_output=True, text=True, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(lines) != max(1, ranks):
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    found = [json.loads(line) for line in lines]
    if any(each["ranks"] != max(1, ranks) for each in found):
        sys.exit(f"{ranks} ranks were started, and do not find each other: {done.stderr[-3000:]}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", default="multicore")
    parser.add_argument("--edge", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", default="0x2,1x2,2x1")
    parser.add_argument("--this", action="store_true", help="time this process, or rank, alone")
    chosen = parser.parse_args()
    if chosen.this:
        sys.stdout.write(f"{json.dumps(of_this_process(chosen.edge, chosen.steps))}\n")
        return
    runs = [tuple(map(int, run.split("x"))) for run in chosen.runs.split(",")]
    rounds = [{run: started(*run, chosen) for run in runs} for _ in range(chosen.rounds)]
    for name in METHODS:
        bits = {str(rank[name]["bits"]) for found in rounds for ranks in found.values() for rank in ranks}
        for what, of_ranks in (("call", max), ("sweep", max), ("processor", sum)):
            times = {run: [of_ranks(rank[name][what] for rank in found[run]) for found in rounds] for run in runs}
            texts = []
            for run in runs:
                ratio = statistics.median(a / b for a, b in zip(times[runs[0]], times[run], strict=True))
                texts.append(f"{run[0]}x{run[1]} {statistics.median(times[run]) * 1e3:.2f} ms ({ratio:.2f})")
            print(f"{name} {chosen.edge} {what}: {', '.join(texts)}", flush=True)
        print(f"{name}: {'the same bits' if len(bits) == 1 else 'THE BITS DIFFER'}", flush=True)


if __name__ == "__main__":
    main()
