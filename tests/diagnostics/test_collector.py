import pytest

from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.errors import SomdCompileError, SomdInternalError


def diagnostic(code: str, line: int, severity: str = "error") -> Diagnostic:
    return Diagnostic(code, "m", (Label(Position("f.py", line, 0, line, 1)),), severity=severity)


def test_all_are_raised_together_in_the_order_of_their_places() -> None:
    collector = Collector()
    collector.add(Diagnostic("SOMD105", "no place"))
    for line in (9, 2, 5, 2):
        collector.add(diagnostic("SOMD301", line))
    with pytest.raises(SomdCompileError) as caught:
        collector.raise_if_errors()
    lines = [d.position.line if d.position else None for d in caught.value.diagnostics]
    assert lines == [2, 5, 9, None]


def test_nothing_collected_raises_nothing() -> None:
    Collector().raise_if_errors()


def test_a_warning_alone_raises_nothing() -> None:
    collector = Collector()
    collector.add(diagnostic("SOMD301", 1, severity="warning"))
    collector.raise_if_errors()
    assert len(collector.diagnostics) == 1


def test_our_own_bugs_raise_the_internal_error() -> None:
    collector = Collector()
    collector.add(diagnostic("SOMD901", 1))
    with pytest.raises(SomdInternalError):
        collector.raise_if_errors()


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(KeyError, match=r"SOMD391.*nearest"):
        Collector().add(diagnostic("SOMD391", 1))


def test_a_diagnostic_points_to_its_first_primary_label() -> None:
    first, second = Position("f.py", 1, 0, 1, 1), Position("f.py", 2, 0, 2, 1)
    assert Diagnostic("SOMD301", "m", (Label(first, "", False), Label(second))).position == second
    assert Diagnostic("SOMD301", "m", (Label(first, "", False),)).position == first
    assert Diagnostic("SOMD301", "m").position is None
