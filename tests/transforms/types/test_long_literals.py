"""Integers that are written out and that an int64 does not hold: taken where they mean what they say, else refused."""

from pathlib import Path

import numpy as np
import pytest

import somd
from somd.errors import SomdCompileError
from tests.differential import harness
from tests.operations.methods import loaded

FAR = "0xFFFFFFFFFFFFFFF0"
TAKEN = (
    f"a[i] > {FAR}",
    f"{FAR} <= a[i]",
    f"5 < a[i] < {FAR}",
    f"max(a[i], {FAR})",
    f"a[i] if a[i] > 5 else {FAR}",
    f"a[i] % {FAR}",
    f"np.minimum(a[i], np.uint64({FAR}))",
    f"(int(a[i]) ^ {FAR}) * 0x9E3779B97F4A7C15 & 0x7FFFFFFFFFFFFFFF",
    "(int(a[i]) + -9223372036854775808) & 255",
)
REFUSED = (
    f"int(a[i]) > {FAR}",
    f"int(a[i]) // {FAR}",
    f"max(int(a[i]), {FAR})",
    f"a[i] * (0.5 * {FAR})",
    f"math.gcd(a[i], {FAR})",
    "a[i] == 18446744073709551616",
    "int(a[i]) & 18446744073709551616",
)
NUMBERS = np.array([0, 1, 7, 2**53 + 1, 2**63, 2**64 - 1], np.uint64)


def method(expressions: tuple[str, ...], folder: Path) -> object:
    lines = "".join(f"        out[{row}, i] = {text}\n" for row, text in enumerate(expressions))
    header = "import math\n\nimport numpy as np\n\nfrom somd import dist, somd\n\n\n@somd\n"
    text = f"{header}def table(a: dist[np.ndarray], out: np.ndarray) -> None:\n    for i in range(len(a)):\n{lines}"
    return loaded(text, folder)


class Wrapping(dict[tuple[int, int], int]):
    """What plain Python stores, as the bits of a uint64."""

    def __setitem__(self, key: tuple[int, int], value: int) -> None:
        super().__setitem__(key, int(value) % 2**64)


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_those_that_mean_what_they_say(target: str, tmp_path: Path) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    function, wanted = method(TAKEN, tmp_path), Wrapping()
    function.__wrapped__(NUMBERS, wanted)
    out = np.zeros((len(TAKEN), len(NUMBERS)), np.uint64)
    with somd.use(target=target, workers=2, small_work=0):
        function(NUMBERS, out)
    assert {place: int(out[place]) for place in wanted} == wanted


def test_others_are_refused(tmp_path: Path) -> None:
    function = method(REFUSED, tmp_path)
    with pytest.raises(SomdCompileError) as caught:
        function(NUMBERS, np.zeros((len(REFUSED), len(NUMBERS)), np.uint64))
    diagnostics = caught.value.diagnostics
    assert [each.code for each in diagnostics] == ["SOMD402"] * len(REFUSED)
    assert sorted(each.labels[0].position.line for each in diagnostics) == [11 + k for k in range(len(REFUSED))]
