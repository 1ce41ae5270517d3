"""Starts Python programs, alone or as ranks, in processes of their own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
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


def started(ranks: int | None, *command: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments: in one process for None, or in so many ranks."""
    launcher = [] if ranks is None else [mpiexec() or "mpiexec", "-n", str(ranks)]
    return subprocess.run(
        [*launcher, PYTHON if ranks else sys.executable, *command],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        cwd=HERE,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": str(HERE)},
        check=False,
    )
