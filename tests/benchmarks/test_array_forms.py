"""The NumPy forms of the kernels of `benchmarks.loops` with nothing but the decorator: which of them are methods.

In: `Kernel.arrays`, or `numpy` where there is none, at a tiny size. The plan of each that is taken is run by the
interpreter; with SOMD_ALL_CASES=1 every target runs it as well. Those without a product give NumPy's bits, but where
they call elementary functions.
"""

from __future__ import annotations

import numpy as np
import pytest

import somd
from benchmarks.loops.kernel import Kernel
from benchmarks.loops.registry import by_name
from somd.sources.expected import expected_of
from somd.sources.verifying import verify
from tests.differential import harness
from tests.usual import ALL

KERNELS = by_name()
#: those whose forms for NumPy are refused, with a code of what they are told: they have forms of their own
NOT_AS_FOR_NUMPY = {
    "vadv": "SOMD401",
    "deriche": "SOMD202",
}
#: those whose sums are in another order than NumPy's (products), or whose elementary functions are not NumPy's
ROUNDED = """
    gemm k2mm k3mm symm syrk syr2k trmm doitgen atax bicg gemver gesummv mvt ludcmp durbin gramschmidt covariance
    correlation softmax mlp conv2d residual arc_distance
    lenet cholesky spmv stockham_fft scattering_self_energies contour_integral
"""
#: what the usual run leaves out: their statements are those of others (conv2d, mlp, softmax; hdiff), or their plans
#: take seconds each
LONG = "" if ALL else "adi cavity_flow channel_flow lenet ludcmp nbody residual scattering_self_energies vadv"
each_taken = pytest.mark.parametrize("kernel", KERNELS.values(), ids=lambda kernel: kernel.name)


@pytest.mark.parametrize("name", NOT_AS_FOR_NUMPY)
def test_what_is_not_taken_as_for_numpy_is_refused(name: str) -> None:
    kernel = KERNELS[name]
    with pytest.raises(somd.SomdCompileError) as refused:
        somd.somd(kernel.numpy)(*kernel.prepare("tiny"))
    assert NOT_AS_FOR_NUMPY[name] in {each.code for each in refused.value.diagnostics}


@pytest.mark.parametrize(
    "kernel", [k for k in KERNELS.values() if k.name not in LONG.split()], ids=lambda kernel: kernel.name
)
def test_the_plan_means_what_numpy_does(kernel: Kernel) -> None:
    method = somd.somd(kernel.arrays or kernel.numpy)
    with np.errstate(all="ignore"):
        expected = expected_of(method, kernel.prepare("tiny"))
    for finding in verify(method, [expected], ["plan"], (2,), 1):
        assert finding.agrees.startswith("1 orders: agrees") or finding.doubtful, f"{finding.agrees}{finding.differs}"
        assert kernel.name in ROUNDED.split() or finding.agrees.endswith("bit for bit"), finding


@pytest.mark.usual(0)
@pytest.mark.parametrize("target", harness.TARGETS)
@each_taken
def test_every_target_gives_what_numpy_does(kernel: Kernel, target: str) -> None:
    rtol = 1e-12 if kernel.name in ROUNDED.split() else 0.0
    harness.check(
        somd.somd(kernel.arrays or kernel.numpy), kernel.prepare("tiny"), target, rtol=rtol, workers=(1, 2, 3)
    )
