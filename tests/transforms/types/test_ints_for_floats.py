"""An int in a call runs the code made for a float where nothing tells them apart, and else code of its own."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import somd
from somd import SomdMethod, dist
from somd.arguments.signatures import LARGEST_FOR_FLOAT
from somd.calls.specialisations import declared_arguments
from somd.capture.reaching import reach_of_source
from somd.transforms.pipeline import compile_for, takes_ints

#: what is done to each element, or to whole arrays, with the floats k and m, and those that may be ints
USES = {
    "a[i] += k * b[i]": "k",
    "a[i] = k": "k",
    "a[i] /= k": "k",
    "a[i] = b[i] - (1 - k + 2 * m) / 4 * b[i]": "km",
    "a[i] = 0.5 * k * m + k * b[i]": "km",
    "a[i] = k / 2 + m * b[i]": "km",
    "a[i] += m if b[i] < k else 0.0": "k",
    "a[i] += 1.0 if k == 3 else b[i] * m": "km",
    "a[i] = k // 2 + m * b[i]": "m",
    "a[i] = k * m * b[i]": "",  # 0 * -3 is 0, 0.0 * -3.0 is -0.0
    "a[i] = -k * b[i]": "",
    "a[i] = 1 / k": "",  # what division by zero says
    "a[i] = k**m * b[i]": "",
    "a[i] = 2147483648 * 4 * k * b[i]": "",  # floats do not hold all such integers
    "a[i] = float(k) * b[i] + max(m, b[i])": "",
    "a[i] = b[i] ** k": "",
    "a[i] = b[i] * (k if m > 0 else 1.0)": "m",
    "k += 1.0; a[i] = k * m": "m",
    "a[i] = c[i] * k + b[i] * m": "m",  # c are integers
    "a[i] = 0 * (1 - k) * b[i] + m": "m",  # 0 * -1 is 0, 0 * -1.0 is -0.0
    "a[:] = (1 - k) * b + 2 * m": "km",
    "a[1:-1] = (1 - k) * b[1:-1] + m * 0.5 * (b[:-2] + b[2:])": "km",
    "a[:] = np.full(len(b), 1 - k) + m * b": "m",
    "a[:] = (1 - k) * c + (m - 1) * b": "m",
    "w = 1 - k; a[:] = w * b; w = 2.0; a[0] = m": "m",
    "w = 2 - k; s = 3 * w + m; a[:] = s * b; a[0] = w": "km",
    "w = 2 - k; a[:] = w * b; return w": "",
}
ARRAYS = "a[1:-1] = (1 - k) * b[1:-1] + m * 0.5 * (b[:-2] + b[2:])"
SIGNATURE = "float64[:], float64[:], int64[:], float64, float64"
INTS = (0, 1, 3, -7, LARGEST_FOR_FLOAT, LARGEST_FOR_FLOAT + 1, -(1 << 60) - 1)


def plain(lines: str) -> Callable[..., Any]:
    text = f"def method(a, b, c, k, m):\n    for i in range(len(a)):\n        {lines}\n"
    if lines.startswith("k +="):
        text = f"def method(a, b, c, k, m):\n    k += 1.0\n    for i in range(len(a)):\n        {lines[10:]}\n"
    elif not lines.startswith("a[i]"):
        text = f"def method(a, b, c, k, m):\n    {lines}\n"
    file = f"<ints for floats {lines}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "generated", "np": np}
    exec(compile(text, file, "exec"), namespace)
    found: Callable[..., Any] = namespace["method"]
    found.__annotations__ = {
        "a": dist[np.ndarray],
        "b": dist[np.ndarray],
        "c": dist[np.ndarray],
        "k": float,
        "m": float,
    }
    return found


@pytest.mark.parametrize("lines", USES)
def test_which_parameters_may_be_ints(lines: str) -> None:
    function: Any = plain(lines)
    found = reach_of_source(function)
    arguments = declared_arguments(function, found, SIGNATURE)
    names = [name if name in lines else "" for name in arguments]  # what is not used may be anything
    assert "".join(names[k] for k in takes_ints(compile_for(function, arguments, {}, found), arguments)) == USES[lines]


def signatures(method: SomdMethod[..., Any]) -> set[str]:
    return {names[2][3] for names in method._entries._last.entries}  # type: ignore[union-attr]


@pytest.mark.parametrize("lines", ["a[i] = b[i] - (1 - k + 2 * m) / 4 * b[i]", "a[i] = k // 2 + m * b[i]", ARRAYS])
def test_calls_with_ints_mean_what_they_mean_plain(lines: str) -> None:
    function = plain(lines)
    method = somd.somd(function)
    alike = "k" in USES[lines]
    b, c = np.array([0.1, -0.0, 1e300, -7.5]), np.arange(4)

    def compare(k: Any) -> None:
        one, other = np.zeros(4), np.zeros(4)
        method(one, b, c, k, 0.5)
        with np.errstate(all="ignore"):
            function(other, b, c, k, 0.5)
        assert one.tobytes() == other.tobytes()

    with somd.use(target="multicore"):
        compare(2.0)
        for k in INTS[:5]:
            compare(k)
            compare(k)  # the short way
        assert signatures(method) == ({"float"} if alike else {"float", "int"})
        for k in INTS[5:]:
            compare(k)
            compare(k)
        compare(4)
        compare(2.5)
        assert signatures(method) == {"float", "int"}
