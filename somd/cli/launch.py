"""Starting a script in several processes by the launcher of MPI that is there: `somdc run --ranks 4 prog.py`."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from somd.cli.output import Problem

#: what Open MPI is told: more ranks than cores are meant, and so is root
OPEN_MPI = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpiexec() -> str | None:
    """The launcher of this environment, else that of the path, if there is one."""
    return shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")


def launch(ranks: int, script: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a script in so many ranks; the exit status of the launcher.

    Raises:
        Problem: there are no ranks here, or less than one is asked for.
    """
    if ranks < 1:
        raise Problem("`--ranks` is at least 1")
    launcher = mpiexec()
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        what = "mpiexec is not found" if launcher is None else "mpi4py is not installed"
        raise Problem(f"{what}: pip install 'somd[mpi]'", 1)
    known = {**OPEN_MPI, **(AS_ROOT if hasattr(os, "geteuid") and os.geteuid() == 0 else {}), **os.environ}
    command = [launcher, "-n", str(ranks), sys.executable, str(script), *arguments]
    return subprocess.run(command, env={**known, **environment}, check=False).returncode
