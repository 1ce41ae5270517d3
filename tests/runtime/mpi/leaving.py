"""A program of which rank 1 does something else than the others, as the script's argument says."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np

from examples.sor import sweep
from examples.vector_add import vector_add
from somd.errors import SomdRuntimeError


def main() -> None:
    from somd.runtime.mpi import launched

    what = sys.argv[1]
    sweep(np.ones((9, 9)), 1.5, 2)
    world = launched.world()
    assert world is not None
    if world.rank == 1:
        print("now", flush=True)
        if what == "interrupt":  # in one line outside of a method, until somebody presses Ctrl-C
            any(what != "interrupt" for _ in iter(int, 1))
        if what == "raise":
            raise RuntimeError("rank 1 fails")
        if what == "exit":
            sys.exit(3)
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    if what == "differ":  # all ranks fail alike, and may go on
        try:
            if world.rank == 1:
                vector_add(np.ones(4), np.ones(4))
            else:
                sweep(np.ones((9, 9)), 1.5, 2)
        except SomdRuntimeError as error:
            print(error)
        sweep(np.ones((9, 9)), 1.25 if world.rank == 1 else 1.5, 2)
    sweep(np.ones((9, 9)), 1.5, 2)
    print("came to the end")


if __name__ == "__main__":
    main()
