"""Names for what NumPy gives as memory of another array, where a new array is made here."""

from __future__ import annotations

import numpy as np
import pytest

from somd.arguments.signatures import describe_all
from somd.errors import SomdCompileError
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type


def stored_before(a: np.ndarray):
    m = np.zeros(a.shape)
    m[:] = a
    diagonal = np.diag(m)
    return m, diagonal / m.sum(axis=0)


def read_before_a_store(a: np.ndarray):
    flat = a.ravel()
    sums = flat.cumsum()
    np.add(a, sums[1], out=a)
    a[0] = sums[2]
    return a


def anew_in_each_turn(a: np.ndarray):
    for i in range(3):
        flat = a.ravel()
        sums = flat.cumsum()
        a[0] = sums[i]
    return a.sum()


def kept_as_it_is(a: np.ndarray):
    m = a * 2
    b, c = m.astype(np.float64, copy=False), m.astype(dtype=np.float64, copy=True)
    c[0] = 1
    return b + 1, c


def itself_stored(a: np.ndarray):
    flat = a.ravel()
    flat[0] = 7
    return a


def read_behind_a_store(a: np.ndarray):
    flat = a.ravel()
    a[0] = 7
    return flat.cumsum()


def read_in_a_later_turn(a: np.ndarray):
    flat = a.ravel()
    for i in range(3):
        a[0] = flat.cumsum()[i]
    return a


def a_part_read_behind_a_store(a: np.ndarray):
    flat = a.ravel()
    tail = flat[1:]
    np.add(a, 1, out=a)
    return tail * 2


def stored_in_a_result(a: np.ndarray):
    m = a * 2
    flat = m.ravel()
    other = np.add(m, 1, out=m)
    return other, flat * 2


def stored_under_another_name(a: np.ndarray):
    flat = a.ravel()
    b = a
    b += 1
    return flat.cumsum()


def stored_as_what_it_is(a: np.ndarray):
    b = a.astype(np.float64, copy=False)
    b[0] = 1
    return a


TAKEN = (stored_before, read_before_a_store, anew_in_each_turn, kept_as_it_is)
REFUSED = (
    itself_stored,
    read_behind_a_store,
    read_in_a_later_turn,
    a_part_read_behind_a_store,
    stored_in_a_result,
    stored_under_another_name,
    stored_as_what_it_is,
)


@pytest.mark.parametrize("method", TAKEN, ids=lambda each: each.__name__)
def test_what_nobody_can_tell(method) -> None:
    types = {"a": parse_type(describe_all((np.ones((1, 1)),), ("a",))[0])}
    interpreter = Interpreter(loop_program(compile_for(method, types, {})))
    given, own = (np.arange(9.0).reshape(3, 3) for _ in range(2))
    wanted = method(given)
    found = interpreter.run({"a": own}, 1)
    assert own.tobytes() == given.tobytes()
    both = (wanted, found) if isinstance(wanted, tuple) else ((wanted,), (found,))
    for one, other in zip(*both, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("method", REFUSED, ids=lambda each: each.__name__)
def test_what_somebody_could_tell(method) -> None:
    types = {"a": parse_type(describe_all((np.ones((1, 1)),), ("a",))[0])}
    with pytest.raises(SomdCompileError, match="SOMD202"):
        compile_for(method, types, {})
