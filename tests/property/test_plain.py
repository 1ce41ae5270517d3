"""The plain function of generated texts: types as Python and NumPy give them, values within the documented bound."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest

from tests.differential.harness import last_line
from tests.property.calls import Call
from tests.property.examining import _as_good
from tests.property.outcomes import Outcome, outcome
from tests.property.plain import namespace_of, own_function, own_power, wrapped


def test_functions_have_types_of_numpy_and_values_within_the_bound() -> None:
    x, y = np.float32(0.3), np.float32(-2.5)
    for module, name, arguments in (
        ("np", "arctan2", (x, y)),
        ("np", "arctan2", (x, 1.5)),
        ("np", "exp", (np.int64(3),)),
        ("math", "cos", (x,)),
        ("math", "log", (10.0, 3.0)),
        ("np", "cbrt", (np.float64(-8.5),)),
    ):
        real = getattr(np if module == "np" else math, name)(*arguments)
        mine = own_function(module, name)(*arguments)
        assert type(mine) is type(real) and abs(mine - real) <= 4 * np.spacing(abs(real))
    with np.errstate(invalid="ignore"):
        assert np.isnan(own_function("np", "log")(np.float64(-1.0)))


def test_powers() -> None:
    for base, exponent in (
        (np.float32(1.1), 3),
        (np.float64(1.1), 0.1),
        (2.0, -3),
        (np.int64(3), 1.5),
        (1.7, np.float32(0.1)),
    ):
        mine, real = own_power(base, exponent, False), base**exponent
        assert type(mine) is type(real) and abs(mine - real) <= 4 * np.spacing(abs(real))
    assert own_power(np.int32(3), 5, False) == 243 and isinstance(own_power(-2 + 0j, 0.5, False), complex)
    with pytest.raises(FloatingPointError):
        own_power(-2, 0.5, False)


def test_texts_keep_their_lines_and_wrap() -> None:
    text = "import numpy as np\n\n\ndef f(k, x):\n    t = k * 4 + 1\n    x **= 3\n    return t, pow(x, 2), np.exp(x)\n"
    f = namespace_of(text, "<plain>", own=True, wide=True)["f"]
    assert f(2**62, 2.0)[0] == 1 and f(2, np.float32(2.0))[1] == np.float32(64.0)
    assert f.__code__.co_firstlineno == 4 and linecache.getline("<plain>", 6) == "    x **= 3\n"


def test_functions_of_numpy_take_ints_that_wrap() -> None:
    text = "import numpy as np\n\n\ndef f(a, k):\n    return np.clip(a, k * 2, 2**40 + k), np.int64(k + 1)\n"
    f = namespace_of(text, "<clip>", own=True, wide=True)["f"]
    assert f(np.int64(2**50), wrapped(3)) == (2**40 + 3, 4) and isinstance(f(np.int64(1), wrapped(3))[0], np.int64)


def test_texts_of_many_terms() -> None:
    text = "def f(x):\n    return " + " + ".join(["x ** 2"] * 900) + "\n"
    assert namespace_of(text, "<deep>", own=True, wide=True)["f"](1.0) == 900.0


def test_what_becomes_an_int_wraps_and_is_noted_where_it_has_no_room() -> None:
    text = "import math\n\ndef f(x, y):\n    y[0] = x\n    return int(x) * 31, math.floor(x), round(x)\n"
    f = namespace_of(text, "<whole>", wide=True)["f"]
    whole = outcome(f, Call((np.int64(2**62), np.zeros(1)), ""))
    assert whole.result[0] == (31 * 2**62 + 2**63) % 2**64 - 2**63 and not whole.beyond
    assert outcome(f, Call((2.0**64, np.zeros(1)), "")).beyond
    assert outcome(lambda x: np.int64(x), Call((np.float64(1e30),), "")).beyond


def test_wrapping_ints_are_divided_with_their_remainders() -> None:
    for one, other in ((wrapped(7), 2), (wrapped(7), np.int64(2)), (np.int64(7), wrapped(2)), (7, wrapped(2))):
        assert divmod(one, other) == (3, 1)
    assert divmod(wrapped(-(2**63)), -1) == (-(2**63), 0)


def test_on_a_device_some_results_are_python_s_own() -> None:
    wide, narrow = Outcome((2**70, 1, 5), []), Outcome((0, 1, 7), [])
    assert _as_good(narrow, wide, Outcome((2**70, 1, 7), []), 0.0)
    assert not _as_good(narrow, wide, Outcome((2**70, 1, 6), []), 0.0)


def test_an_exception_has_the_line_of_the_text() -> None:
    text = "import numpy as np\n\n\ndef f(a, k):\n    return np.maximum(a, k * 2)\n"
    found = []
    for wide in (False, True):
        f = namespace_of(text, "<line>", wide=wide)["f"]
        found.append(outcome(f, Call((np.int32(1), 2**40), ""), wide).error)
    assert last_line(found[1]) == last_line(found[0]) == ("<line>", 5, "f")


def test_ints_that_no_memory_holds() -> None:
    for base, count in ((wrapped(1), wrapped(1 << 40)), (1, wrapped(1 << 40)), (wrapped(1), 1 << 40)):
        with pytest.raises(MemoryError):
            base << count
    assert wrapped(1) << 5 == 1 << wrapped(5) == 32
