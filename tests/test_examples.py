"""Every example does on every target what it does as plain Python, and its `main` prints what its docstring says.

What Numba compiles for seconds runs on OpenCL alone, where that can be used and other programs stand for all features
of the generated code (see `tests.differential.features`); with SOMD_ALL_CASES=1 on all targets.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import somd
from examples import gauss_blur, nbody
from somd import SomdMethod
from somd.random import Stream
from tests.differential import compiled_once, harness
from tests.usual import ALL

ROOT = Path(__file__).parents[1]
NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
RANDOM = np.random.default_rng(7)


def grid(rows: int = 9, columns: int = 11) -> np.ndarray:
    return RANDOM.random((rows, columns))


def numbers(n: int = 17) -> np.ndarray:
    return RANDOM.random(n) + 0.5


ROW, COLUMN = np.array([0, 0, 1, 3, 3, 3, 4]), np.array([2, 4, 0, 1, 3, 4, 0])
#: arguments for each method, and the relative tolerance: 0 where the same bits are promised
CASES = {
    "black_scholes.prices": ((numbers(), numbers(), numbers(), 0.05, 0.2), 1e-13),
    "distances.all_pairs": ((grid(13, 3),), 0.0),
    "distances.closest": ((grid(13, 13),), 0.0),
    "floyd_warshall.shortest_paths": ((grid(9, 9),), 0.0),
    "game_of_life.live": ((grid() < 0.4, 3), 0.0),
    "gauss_blur.blur": ((grid(), gauss_blur.gaussian(1.0)), 0.0),
    "heat.settle": ((grid(), 0.1), 0.0),
    "histogram.histogram": ((numbers(100), 0.6, 1.4, 5), 0.0),
    "k_means.k_means": ((grid(40, 2), grid(3, 2), 4), 1e-12),
    "mandelbrot.mandelbrot": ((np.zeros((12, 15), np.int32), 30), 0.0),
    "matrix_product.product": ((grid(7, 5), grid(5, 8)), 0.0),
    "monte_carlo.langevin": ((numbers(), Stream(1), 3, 0.1, 0.4), 0.0),
    "monte_carlo.langevin_of_arrays": ((numbers(), Stream(1), 3, 0.1, 0.4), 0.0),
    "monte_carlo.option": ((Stream(1), 50, 100.0), 1e-12),
    "monte_carlo.option_of_arrays": ((Stream(1), 50, 100.0), 1e-12),
    "monte_carlo.pi": ((Stream(1), 50), 0.0),
    "monte_carlo.pi_of_arrays": ((Stream(1), 50), 0.0),
    "monte_carlo.walks": ((Stream(1), 7, 9), 0.0),
    "monte_carlo.walks_of_arrays": ((Stream(1), 7, 9), 0.0),
    "nbody.Cluster.drift": ((nbody.Cluster(11), 0.1), 0.0),
    "nbody.Cluster.energy": ((nbody.Cluster(11),), 1e-12),
    "nbody.Cluster.kick": ((nbody.Cluster(11), 0.1), 1e-13),
    "nbody.Cluster.run": ((nbody.Cluster(11), 2, 0.1), 1e-12),
    "norm.normalize": ((numbers(),), 1e-14),
    "norm.normalize_shared": ((numbers(),), 1e-14),
    "norm.sum_of_squares": ((numbers(),), 1e-14),
    "sobel.edges": ((grid(),), 1e-15),
    "sor.residual": ((grid(),), 0.0),
    "sor.sweep": ((grid(), 1.5, 3), 0.0),
    "sparse_product.by_coordinates": ((np.zeros(5), ROW, COLUMN, numbers(7), numbers(5)), 0.0),
    "sparse_product.by_rows": ((np.array([0, 2, 3, 3, 6, 7]), COLUMN, numbers(7), numbers(5)), 0.0),
    "vector_add.vector_add": ((numbers(), numbers()), 0.0),
}


#: examples whose methods Numba compiles for more than 1.4 seconds together
LONG = ("distances", "floyd_warshall", "gauss_blur", "k_means", "monte_carlo", "nbody", "norm", "sobel", "sor")


def left_out(name: str, target: str) -> bool:
    """Whether an example runs on the other target alone, and other programs stand for what is generated here."""
    return name in LONG and target == "multicore" and not ALL and harness.unavailable("opencl") is None


def module(name: str) -> ModuleType:
    return importlib.import_module(f"examples.{name}")


def methods(name: str) -> dict[str, SomdMethod]:
    """The SOMD methods of an example, by the names of `CASES`."""
    own = vars(module(name)).items()
    found = {f"{name}.{n}": value for n, value in own if isinstance(value, SomdMethod)}
    for n, value in own:
        if inspect.isclass(value) and value.__module__ == f"examples.{name}":
            found |= {f"{name}.{n}.{k}": v for k, v in vars(value).items() if isinstance(v, SomdMethod)}
    return found


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_example(
    name: str, target: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if harness.unavailable(target) is not None:
        pytest.skip(str(harness.unavailable(target)))
    compiled_once.patch(monkeypatch)
    if left_out(name, target):
        pytest.skip("other programs stand for what is generated here: SOMD_ALL_CASES=1")
    for case, method in methods(name).items():
        args, rtol = CASES[case]
        harness.check(method, args, target, rtol=rtol, workers=(1, 3) if target == "multicore" else (1,))
    monkeypatch.chdir(tmp_path)
    with somd.use(target=target):
        module(name).main()
    shown = inspect.getdoc(module(name)).partition("\nPrints:\n\n")[2]
    assert capsys.readouterr().out == inspect.cleandoc(shown) + "\n"


def test_each_method_has_a_case() -> None:
    assert {method for name in NAMES for method in methods(name)} == set(CASES)
