"""The kernels as an expert writes them for Pythran, in `pythran_native`: compiled to C++ with OpenMP's directives.

The compiled module is kept in the cache folder of somd, by the source, its options and Pythran's version. Needs a C++
compiler. Threads are those of `OMP_NUM_THREADS`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pythran

from benchmarks.hand_written.crypt import in_words
from benchmarks.hand_written.series import table
from benchmarks.hand_written.sparsematmult import cuts
from benchmarks.javagrande.series import PLAIN, STEP, trapezoid
from somd.runtime.folders import cache_folder

SOURCE = Path(__file__).with_name("pythran_native.py")
OPTIONS = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=off")


def compiled() -> Any:
    """The native module, compiled the first time (half a minute).

    Raises:
        ImportError: there is no C++ compiler, or it fails.
    """
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        raise ImportError(f"Pythran needs a C++ compiler, and there is no {compiler} (set CXX)")
    made_of = "".join((SOURCE.read_text(), *OPTIONS, pythran.__version__, sys.version))
    folder = cache_folder("pythran", hashlib.sha256(made_of.encode()).hexdigest()[:16])
    path = folder / f"pythran_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pythran.run", *OPTIONS, str(SOURCE), "-o", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImportError(f"Pythran failed: {done.stderr[-1000:]}")
    spec = importlib.util.spec_from_file_location("pythran_native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


native = compiled()


def crypt(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Any:
    """32-bit words, no division."""
    return in_words(native.crypt, plain, cipher, decrypted, key, inverse_key)


def lufact(columns: Any, b: Any, pivots: Any) -> Any:
    """The source, its columns shared out by a directive."""
    native.lufact(columns, b, pivots)
    return b


def series(coefficients: Any) -> Any:
    """The powers in a table."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    native.series(coefficients, *table(), STEP)
    return coefficients


def sor(G: Any, omega: Any, iterations: Any) -> float:
    """Red and black packed apart; for grids of an even edge."""
    return float(native.sor(G, omega, iterations))


def sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """A block of rows for each thread; with the sums of the short rows in registers it is slower."""
    native.sparsematmult(y, values, row, column, x, iterations, cuts(row, int(os.environ["OMP_NUM_THREADS"])))
    return y


KERNELS = {"crypt": crypt, "lufact": lufact, "series": series, "sor": sor, "sparsematmult": sparsematmult}
