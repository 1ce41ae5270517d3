"""A `raise` or `assert` statement run again with the values that it had."""

from __future__ import annotations

import traceback

import numpy as np

from somd.language.raising import Raises, as_double, as_single, fault_row, slots


class Bad(Exception):
    pass


def place() -> None:
    """Where the statements below stand."""


def row(text: str, *values: tuple[str, object], line: int = 7) -> tuple:  # type: ignore[type-arg]
    return ("file.py", line, 4, "f", text, 0, values)


def raised(text: str, values: list[object], *kinds: tuple[str, object]) -> BaseException:
    return Raises({3: row(text, *kinds)}, (place,)).exception(3, values)  # type: ignore[arg-type]


def test_values_have_the_types_of_plain_python() -> None:
    text = "raise Bad(a[i], i, x, t)"
    error = raised(text, [0.5, 3, 1, 2, 4], ("a[i]", "float32"), ("i", "int"), ("x", "np.bool"), ("t", ("int", "int")))
    assert type(error) is Bad
    assert error.args == (np.float32(0.5), 3, np.True_, (2, 4))
    assert [type(value) for value in error.args] == [np.float32, int, np.bool_, tuple]


def test_formats_and_causes_are_pythons() -> None:
    error = raised('raise ValueError(f"{a[i]!r:>18} {i=} {len(a)}") from KeyError(i)', [2.0, 1, 9], *KINDS)
    assert str(error) == "   np.float64(2.0) i=1 9"
    assert isinstance(error.__cause__, KeyError)
    assert raised("raise Bad from None", []).__suppress_context__
    assert isinstance(raised("raise 3", []), TypeError)
    assert isinstance(raised("raise Missing(1)", []), NameError)


KINDS = (("a[i]", "float64"), ("i", "int"), ("len(a)", "int"))


def test_an_assertion_has_failed() -> None:
    error = raised("assert f(1, 2) > 0, [k * i for k in range(3)]", [5], ("i", "int"))
    assert type(error) is AssertionError and error.args == ([0, 5, 10],)
    assert raised("assert a[i] > 0", []).args == ()


def test_names_mean_what_they_mean_now() -> None:
    def make(limit: int):  # type: ignore[no-untyped-def]
        def inner() -> int:
            return limit

        return inner

    table = Raises({1: row("raise Bad(limit)")}, (make(4),))  # type: ignore[arg-type]
    assert table.exception(1, []).args == (4,)
    named = Raises({1: row("raise Own(1)")}, names=lambda: {"Own": Bad})  # type: ignore[arg-type]
    assert type(named.exception(1, [])) is Bad


def test_the_traceback_ends_in_the_line() -> None:
    error = Raises({1: row('raise Bad(\n    "text",\n    i)', ("i", "int"), line=30)}, (place,)).exception(1, [2])  # type: ignore[arg-type]
    [frame] = traceback.extract_tb(error.__traceback__)
    assert (frame.filename, frame.lineno, frame.name) == (__file__, 30, "f")
    assert error.__context__ is None


def test_words() -> None:
    kinds = (("a", "complex64"), ("b", "float32"), ("c", "uint64"), ("d", "float"), ("e", "bool"))
    table = Raises({1: row("raise Bad(a, b, c, d, e)", *kinds)}, (place,))  # type: ignore[arg-type]
    assert table.slots == slots(kind for _, kind in kinds) == 6
    assert fault_row(table.slots) == 8 and fault_row(0) == 3
    single = [int(np.float32(value).view(np.int32)) for value in (1.5, -2.0, 0.25)]
    words = [*single, -1, int(np.float64(0.1).view(np.int64)), 1]
    assert table.from_words(1, words, as_single).args == (
        np.complex64(1.5 - 2j),
        np.float32(0.25),
        2**64 - 1,
        0.1,
        True,
    )
    assert as_double(int(np.float64(-0.5).view(np.int64))) == -0.5
