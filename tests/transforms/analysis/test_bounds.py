"""The checks before a phase against brute force: true exactly where some iteration leaves the array."""

from itertools import product
from types import SimpleNamespace

import libcst as cst
from hypothesis import given, settings

from somd.errors import SomdCompileError
from somd.transforms.pipeline import check
from tests.transforms.analysis.loops import GUARDS, INDEXES, RANGES, code_of, function_of, value, values
from tests.usual import ALL


@settings(max_examples=250 if ALL else 60, deadline=None)
@given(RANGES, GUARDS, INDEXES)
def test_checks_against_brute_force(loop: str, guard: str, read: str) -> None:
    body = f"        if {guard}:\n            b[i] = a[{read}]\n"
    text = f"def f(a: dist[np.ndarray], b: dist[np.ndarray], n: int, k: int):\n    for i in {loop}:\n{body}"
    try:
        (phase,) = check(function_of(text)).phases()
    except SomdCompileError as error:
        assert error.code in ("SOMD301", "SOMD302"), error
        return
    assert not phase.nest.guarded
    checks = [each.condition for each in phase.nest.checks if each.site.array == "a"]
    test = code_of(guard)
    for n, k, length in product(range(-1, 8), range(-3, 5), range(9)):
        names = {"n": n, "k": k, "a": SimpleNamespace(shape=(length,)), "b": SimpleNamespace(shape=(99,))}
        reached = [value(read, i, n, k, length) for i in values(loop, n, k, length) if eval(test, {**names, "i": i})]
        leaves = any(not -length <= place < length for place in reached)
        assert any(eval(code_of(condition), names) for condition in checks) is leaves, (checks, n, k, length)


def guarded(text: str) -> list[str]:
    """The accesses that are tested where they happen."""
    (phase,) = check(function_of(text)).phases()
    return sorted(cst.Module([]).code_for_node(node) for node in phase.nest.guarded)


def test_what_a_check_has_proved_is_not_tested_under_a_condition_again() -> None:
    head = "def f(a: dist[np.ndarray], b: dist[np.ndarray], c: dist[np.ndarray]):\n    for i in range(len(c)):\n"
    body = "        if b[i] > 0.0 and {0} > b[i]:\n            c[i] = {0}\n"
    assert guarded(head + body.format("b[i]")) == []
    assert guarded(head + "        if a[i + 1] > 0.0:\n" + "            c[i] = a[i + 1] + a[i]\n") == ["a[i]"]
    assert set(guarded(head + body.format("a[i]"))) == {"a[i]"}
    assert set(guarded(head + body.format("b[i - 1]"))) == {"b[i - 1]"}


def test_a_choice_among_the_facts_is_not_repeated_in_checks() -> None:
    text = (
        "def f(a: dist[np.ndarray], b: dist[np.ndarray], n: int):\n"
        "    if a.shape[0] != n and (a.shape[0] > 1 or n > 1):\n        raise ValueError('lengths')\n"
        "    for i in range(len(b)):\n        b[i] = a[i]\n"
    )
    (phase,) = check(function_of(text)).phases()
    (found,) = phase.nest.checks
    assert found.condition == "b.shape[0] >= a.shape[0] + 1"
