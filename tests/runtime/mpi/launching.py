"""Starts Python programs, alone or as ranks, in processes of their own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parents[3]
#: what Open MPI wants for more ranks than cores, and for root; threads that wait are not to spin
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_WAIT_POLICY": "passive",
    "SOMD_SMALL_WORK": "0",
    "SOMD_WORKERS": "2",  # where method instances have results of their own, their number shows
}


#: another Python, such as that of an environment with MPICH or Intel's MPI, beside which another launcher stands:
#: `SOMD_TEST_PYTHON=/path/to/python python -m pytest tests/runtime/mpi`
PYTHON = os.environ.get("SOMD_TEST_PYTHON", sys.executable)


def mpiexec() -> str | None:
    """The launcher that stands beside that Python, or else any."""
    return shutil.which("mpiexec", path=str(Path(PYTHON).parent)) or shutil.which("mpiexec")


def unavailable() -> str | None:
    """Why there can be no ranks here, or None."""
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed"
    return None if mpiexec() is not None else "there is no mpiexec"


def started(
    ranks: int | None,
    *command: str,
    timeout: float = 300,
    environment: Mapping[str, str] | None = None,
    interrupted_at: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments: in one process for None, or in so many ranks. Ctrl-C is pressed when it has
    printed a line `interrupted_at`."""
    launcher = [] if ranks is None else [mpiexec() or "mpiexec", "-n", str(ranks)]
    process = subprocess.Popen(
        [*launcher, PYTHON if ranks else sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=HERE,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": str(HERE), **(environment or {})},
        start_new_session=True,
    )
    try:
        if interrupted_at is not None and process.stdout is not None:
            while (line := process.stdout.readline()) and line.strip() != interrupted_at:
                continue
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the launcher passes it on
        out, said = process.communicate(timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, said)
