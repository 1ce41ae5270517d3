"""Methods that programs write: hundreds of terms in an expression, hundreds of statements in a body."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from tests.differential import harness

TERMS = 600


def method(body: str, folder: Path) -> Any:
    """The method that does `body` in each iteration."""
    text = "import numpy as np\nfrom somd import dist, somd\n\n\n@somd\ndef f(a: dist[np.ndarray]):\n"
    text += f"    c = np.zeros_like(a)\n    for i in range(len(a)):\n{body}    return c\n"
    file = folder / "long_program.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("long_program", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


#: as deep as 600 terms of the array, for Numba, which takes seconds for so many accesses to an array
DEEP = " + ".join(f"a[i] * {k}" if k % 20 == 0 else str(k) for k in range(TERMS))
BODIES = {
    "terms": f"        c[i] = {' + '.join(f'a[i] * {k}' for k in range(TERMS))}\n",
    "conditions": f"        if {' or '.join(f'a[i] == {k}' for k in range(TERMS // 4))}:\n            c[i] = 1\n",
    "branches": "        if a[i] == 0:\n            c[i] = 1\n"
    + "".join(f"        elif a[i] == {k}:\n            c[i] = {k}\n" for k in range(1, 60)),
    "statements": "".join(f"        c[i] += a[i] * {k}\n" for k in range(100)),
}


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.usual(3)
def test_long_bodies(name: str, target: str, tmp_path: Path) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    kind = np.float64 if target == "opencl" else np.int64
    body = f"        c[i] = {DEEP}\n" if (name, target) == ("terms", "multicore") else BODIES[name]
    harness.check(method(body, tmp_path), (np.arange(-3, 7).astype(kind),), target, workers=(1, 3))


def test_decoration_of_many_statements_takes_seconds(tmp_path: Path) -> None:
    """Pairs of accesses that say the same are one question, so time grows with the statements, not their square."""
    body = "".join(f"        c[i] += a[i] * {k}\n" for k in range(400))
    start = time.process_time()
    method(body, tmp_path)
    assert time.process_time() - start < 30


def test_too_many_levels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(somd.SomdCompileError, match=r"SOMD210.*1000 levels") as caught:
        method(f"        c[i] = {' + '.join(f'a[i] * {k}' for k in range(1200))}\n", tmp_path)
    assert caught.value.code == "SOMD210"


def test_names_that_unicode_holds_for_the_same(tmp_path: Path) -> None:
    body = "        ﬁne = a[i] * 2\n        c[i] = fine + 1\n"
    for target in harness.TARGETS:
        if harness.unavailable(target) is None:
            harness.check(method(body, tmp_path), (np.arange(5.0),), target, workers=(1, 3))
