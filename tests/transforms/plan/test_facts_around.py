"""What assignments inside loops and branches tell of the statements behind them, and what they do not."""

from __future__ import annotations

import pytest

from somd.transforms.pipeline import check
from tests.transforms.analysis.loops import function_of

HEAD = "def f(a: dist[np.ndarray], c: dist[np.ndarray], n: int, turns: int):\n    for t in range(turns):\n"


def checks(*lines: str) -> list[str]:
    """The checks of a method whose loop over turns has these lines."""
    plan = check(function_of(HEAD + "".join(f"        {line}\n" for line in lines)))
    return [each.condition for phase in plan.phases() for each in phase.nest.checks]


def test_an_array_made_in_a_turn_is_as_long_as_it_was_made() -> None:
    assert checks("b = np.empty(n)", "for i in range(n):", "    b[i] = 1.0") == []
    assert checks("b = np.empty_like(a)", "for i in range(len(a)):", "    b[i] = a[i]") == []
    assert checks("m = max(n - 2, 0)", "b = np.empty(m)", "for i in range(n - 2):", "    b[i] = 1.0") == []


@pytest.mark.parametrize(
    "lines",
    [
        ("b = np.empty(n)", "for i in range(n):", "    b[i] = 1.0", "n = n + 1"),
        ("b = np.empty(n)", "n = n + 1", "for i in range(n):", "    b[i] = 1.0"),
        ("b = np.empty_like(a)", "a, c = c, a", "for i in range(len(a)):", "    b[i] = a[i]"),
        ("if n > 3:", "    n = len(a)", "for i in range(n):", "    a[i] = 1.0"),
        ("m = min(n, len(c))", "for i in range(n):", "    c[i] = float(m)"),
    ],
)
def test_what_may_have_changed_is_checked(lines: tuple[str, ...]) -> None:
    assert len(checks(*lines)) == 1


def test_a_name_that_is_set_from_itself_tells_nothing() -> None:
    assert checks("n = n + 1", "for i in range(n):", "    a[i] = 1.0") == ["n >= a.shape[0] + 1"]
