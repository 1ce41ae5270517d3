"""Heat on arrays that no rank could hold: each rank may have memory for its share, a border, and 300 MB besides.

    mpiexec -n 4 python -m tests.runtime.mpi.limited 1024

The argument is the size of an array in megabytes, of which two are there at once. The system kills a process that takes
more than its limit: a control group for memory of its own, which Linux lets root make. Prints what each rank took.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: where control groups are made, in both versions of their interface: folder, file of the limit, file of what was used
INTERFACES = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max", "memory.peak"),
)
#: megabytes that a rank may take besides its share
BESIDES = 300


def unlimited() -> str | None:
    """Why no control group can be made here, or None."""
    try:
        with limited(1 << 40):
            return None
    except OSError as error:
        return f"no control group for memory: {error}"


@contextmanager
def limited(size: int) -> Iterator[Path]:
    """A control group whose processes may take so many bytes together; gives the file of what they have taken.

    Raises:
        OSError: none can be made here.
    """
    above, limit, used = next((each for each in INTERFACES if (each[0] / each[1]).exists()), INTERFACES[1])
    group = above / f"somd-{os.getpid()}"
    group.mkdir()
    try:
        (group / limit).write_text(str(size))
        yield group / used
    finally:
        group.rmdir()


def main() -> None:
    """Start the rank in a group of its own, and end as it does."""
    with limited(allowed()) as used:
        process = subprocess.run(
            [sys.executable, "-m", "tests.runtime.mpi.limited", sys.argv[1], str(used)], check=False
        )
    sys.exit(process.returncode if process.returncode >= 0 else 128 - process.returncode)


def allowed() -> int:
    """The bytes that a rank may have: its part of two arrays, cut for four ranks, and what it takes besides."""
    return 2 * (int(sys.argv[1]) << 20) // 4 + (BESIDES << 20)


def run(used: Path) -> None:
    (used.parent / "cgroup.procs").write_text(str(os.getpid()))
    from tests.runtime.mpi.memory import COLUMNS, run_steps

    middle = run_steps((int(sys.argv[1]) << 20) // (8 * COLUMNS))
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    taken = f"took {int(used.read_text()) >> 20} MB of {allowed() >> 20}, resident {resident}"
    sys.stdout.write(f"a rank {taken}, arrays of {sys.argv[1]} MB: {middle}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main() if len(sys.argv) == 2 else run(Path(sys.argv[2]))
