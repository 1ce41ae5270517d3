"""The kernels of `benchmarks.loops`, at a tiny size, do what they do in plain Python; so do their forms in NumPy.

Compilers take seconds for each, so the plan of each is run by the interpreter; with SOMD_ALL_CASES=1 every target runs
every kernel as well, and `python -m benchmarks.loops --size tiny` the ports.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.loops import runner
from benchmarks.loops.kernel import Kernel, duplicate
from benchmarks.loops.measure import Measurement, require_same
from benchmarks.loops.registry import by_name
from benchmarks.loops.summary import mean, rows
from somd.sources.expected import expected_of
from somd.sources.verifying import NOT_RUN, verify
from tests.differential import harness
from tests.usual import ALL

KERNELS = by_name().values()
WORKERS = (1, 2, 3)
#: what the usual run leaves out: their plans take seconds each
LONG = "" if ALL else "adi cavity_flow channel_flow lenet ludcmp residual scattering_self_energies vadv"
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.name not in LONG.split()], ids=lambda kernel: kernel.name)
def test_the_plan_means_what_the_plain_function_does(kernel: Kernel) -> None:
    method, args = kernel.somd(), kernel.prepare("tiny")
    for finding in verify(method, [expected_of(method, method.arguments(args, {}))], ["plan"], (2,), 1):
        assert not finding.agrees.startswith(NOT_RUN), finding.agrees
        assert finding.doubtful or not finding.differs, f"{finding.where}: {finding.differs}"


@each_kernel
def test_numpy_gives_what_the_loops_give(kernel: Kernel) -> None:
    outcomes = []
    for function in (kernel.plain, kernel.numpy, *([kernel.arrays] if kernel.arrays else [])):
        args = duplicate(kernel.prepare("tiny"))
        result = function(*args)
        outcomes.append((*(result if isinstance(result, tuple) else (result,)), *args))
    for outcome in outcomes[1:]:
        require_same(outcome, outcomes[0], exact=False, tolerance=kernel.tolerance)


@pytest.mark.usual(0)
@pytest.mark.parametrize("target", harness.TARGETS)
@each_kernel
def test_every_target_gives_what_the_loops_give(kernel: Kernel, target: str) -> None:
    rtol = 0.0 if kernel.bits else kernel.tolerance
    harness.check(kernel.somd(), kernel.prepare("tiny"), target, rtol=rtol, workers=WORKERS)


def test_results_are_compared_bit_for_bit_or_within_a_tolerance() -> None:
    off = (np.array([1.0, np.nextafter(2.0, 3.0)]),)
    require_same((np.array([np.nan, 2.0]),), (np.array([np.nan, 2.0]),), exact=True, tolerance=0.0)
    require_same(off, (np.array([1.0, 2.0]),), exact=False, tolerance=1e-12)
    for expected, exact in ((np.array([1.0, 2.0]), True), (np.array([1.0, 3.0]), False), (np.ones(3), False)):
        with pytest.raises(InvalidResult, match="value 0"):
            require_same(off, (expected,), exact=exact, tolerance=1e-12)


def test_ratios_are_of_the_fastest_valid_peer() -> None:
    samples = {"somd": [2.0, 1.0, 9.0], "numpy": [8.0], "prange": [], "fastmath": [4.0, 6.0]}
    (row,) = rows([Measurement("k", name, samples=taken) for name, taken in samples.items()])
    assert row.best_peer is not None and row.best_peer.version == "fastmath"
    assert (row.ratio(), row.ratio("numpy"), row.ratio("prange")) == (2.5, 4.0, None)
    assert mean([2.0, None, 8.0]) == pytest.approx(4.0) and mean([None]) is None


@pytest.mark.parametrize("wrong", [["--size", "D"], ["--threads", "0"], ["--kernels", "fft9"], ["--peers", "x"]])
def test_a_wrong_command_line_is_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        runner.main(wrong)
    assert refused.value.code == 2
