"""Results that are Python's numbers on some paths and NumPy's on others."""

import linecache

import numpy as np
import pytest

import somd
from somd import dist
from somd.errors import SomdCompileError

METHODS = {
    "a name": ("t = 2", "if k > 3:", "    t = np.float32(2.5)", "u = t", "return u"),
    "a part": ("t = 2", "if k > 3:", "    t = np.float32(2.5)", "return t, k"),
    "a choice": ("t = np.float32(2.5) if k > 3 else 2", "return t * 3 if k > 3 else 2"),
    "two ends": ("if k > 3:", "    return np.float32(2.5)", "return 2"),
    "a sum": ("t = 0.0", "if k > 3:", "    for i in range(len(a)):", "        t += a[i]", "return t"),
}
TAKEN = {
    "a sum": ("t = 0.0", "for i in range(len(a)):", "    t += a[i]", "return t"),
    "one more": ("t = 0.0", "if k > 3:", "    t = 1.5", "for i in range(len(a)):", "    t += a[i]", "return t"),
    "a last one": ("t = 0.0", "for i in range(len(a)):", "    if a[i] > 0.5:", "        t = a[i]", "return t"),
    "set anew": ("t = 2", "if k > 3:", "    t = np.float32(2.5)", "t = np.float32(t) * 2", "return t"),
}
LOOP = ("for j in range(len(a)):", "    a[j] += 1")


def method(lines: tuple[str, ...]) -> object:
    text = "def method(a, k):\n" + "".join(f"    {line}\n" for line in (*LOOP, *lines))
    return somd.somd(_function(text))


def _function(text: str) -> object:
    file = f"<result paths {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": "generated", "np": np}
    exec(compile(text, file, "exec"), namespace)
    found = namespace["method"]
    found.__annotations__ = {"a": dist[np.ndarray], "k": int}
    return found


@pytest.mark.parametrize("name", METHODS)
def test_those_that_differ_are_refused(name: str) -> None:
    with pytest.raises(SomdCompileError, match=r"SOMD401.*on some paths and NumPy's `float32` on others"):
        method(METHODS[name])(np.ones(3, np.float32), 1)


@pytest.mark.parametrize("name", TAKEN)
def test_others_are_taken(name: str) -> None:
    function = method(TAKEN[name])
    for k in (1, 5):
        wanted = function.__wrapped__(np.ones(3, np.float32), k)
        assert repr(function(np.ones(3, np.float32), k)) == repr(wanted)
