"""Programs whose surroundings change between calls: what names, cells, attributes, defaults and annotations stand for.

A method is called, something that it mentions is rebound, it is called again: no call may run what was compiled for an
earlier meaning. The plain function, in a namespace of its own in which the same changes are made, is the judge.
"""

from __future__ import annotations

import linecache
import random
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import somd
from somd.errors import SomdFallbackWarning
from tests.property.calls import Call
from tests.property.examining import Examined, Foreign, Refused, own_errors, run_call
from tests.property.outcomes import difference, outcome

#: for each slot: its definition, expressions that mention it, and what may become of it between calls
SLOTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "number": (
        "K = 2.0",
        ("K * a[i]", "a[i] + K", "(a[i] if K > 1 else 0.5)", "a[i] / (K * K + 1)", "a[i % (len(a) - int(K > 2))]"),
        (
            "K = 3",
            "K = np.float32(0.1)",
            "K = -2.0",
            "K = True",
            "K = 2.0",
            "K = np.int8(5)",
            "K = -0.0",
            "K = 2",
            "K = 1e300",
        ),
    ),
    "function": (
        "G = np.floor",
        ("G(a[i])", "G(a[i] * 0.5)", "G(G(a[i]))"),
        (
            "G = abs",
            "G = np.ceil",
            "G = round",
            "def G(x):\n    return x * 3.0",
            "def G(x):\n    return x - 1.0",
            "G = float",
            "G = np.float32",
        ),
    ),
    "object": (
        "class Space:\n    pass\n\n\nHM = Space()\nHM.k = 3\nHM.f = np.floor\nHM.inner = Space()\nHM.inner.k = 0.5",
        ("HM.k * a[i]", "HM.f(a[i])", "a[i] - HM.inner.k", "HM.f(a[i] * HM.k)"),
        (
            "HM.k = 4.5",
            "HM.f = np.ceil",
            "HM.inner.k = 2",
            "HM.inner = Space()\nHM.inner.k = 7.0",
            "HM.f = abs",
            "HM.k = np.float32(2)",
            "HM = Space()\nHM.k = 1\nHM.f = abs\nHM.inner = HM",
        ),
    ),
    "class": (
        "class Fixed:\n    c = 2\n    f = np.floor\n\n\nclass Derived(Fixed):\n    pass",
        ("Fixed.c * a[i]", "Derived.c - a[i]", "Fixed.f(a[i])", "Derived.f(a[i]) * Derived.c"),
        ("Fixed.c = 0.25", "Derived.c = 9", "Fixed.f = np.ceil", "Fixed.c = -1", "Derived = Fixed", "Derived.f = abs"),
    ),
    "helper": (
        "def helper(x, by=2.0, *, more=1.0):\n    return x * by + more\n\n\n"
        "def other(x, by=1.0, *, more=0.0):\n    return x - by - more",
        ("helper(a[i])", "helper(a[i], more=0.5)", "helper(helper(a[i]))", "helper(other(a[i]))"),
        (
            "helper.__defaults__ = (3.0,)",
            "helper.__kwdefaults__ = {'more': 4.0}",
            "helper.__kwdefaults__['more'] = 5",
            "helper.__code__ = other.__code__",
            "helper, other = other, helper",
            "def helper(x, by=1.0, *, more=2.0):\n    return more - x * by",
            "other = helper",
        ),
    ),
    "builtin": (
        "",
        ("abs(a[i]) - 3.0", "max(a[i], 2.0)", "abs(a[i])"),
        (
            "abs = np.floor",
            "def abs(x):\n    return x + 100.0",
            "def max(x, y):\n    return x - y",
            "globals().pop('abs', 0)",
            "globals().pop('max', 0)",
            "abs = np.sign",
        ),
    ),
    "array": (
        "ARR = np.arange(40.0)",
        ("ARR[i]", "a[i] * ARR[0]", "ARR[len(ARR) - 1 - i]", "len(ARR) * a[i]"),
        (
            "ARR[0] = 17.0",
            "ARR = np.ones(40)",
            "ARR = np.arange(40)",
            "ARR = np.arange(60.0)",
            "ARR = ARR[::-1]",
            "ARR = np.arange(40, dtype=np.float32)",
        ),
    ),
    "cell": (
        "",
        ("cell * a[i]", "a[i] - cell", "inner(a[i])"),
        ("change(4)", "change(0.25)", "change(np.float32(0.3))", "change(-1)", "method, change = make()"),
    ),
    "type": (
        "T = np.float64",
        ("T(a[i])", "T(a[i]) * 2", "a[i] + T(1)"),
        ("T = np.float32", "T = np.int64", "T = float", "T = int", "T = np.float64", "T = np.int16"),
    ),
    "annotation": (
        "A = dist[np.ndarray]",
        ("2.0 * a[i]", "a[i] + 1.0"),
        (
            "A = np.ndarray",
            "A = Annotated[np.ndarray, dist, dim(0)]",
            "A = dist[np.ndarray]",
            "method.__wrapped__.__annotations__['a'] = A",
        ),
    ),
}
HEADER = """\
from typing import Annotated

import numpy as np
from somd import dim, dist, somd
"""
MAKE = """
def make():
    cell = 1.5

    def inner(x):
        return x * cell

    @somd
    def method(a: A, b: dist[np.ndarray], n: int = 2):
        s = 0
        for i in range(len(a)):
            b[i] = {one}
            s += 1
        for i in range(len(a)):
            a[i] = {two}
        return s, n

    def change(value):
        nonlocal cell
        cell = value

    return method, change


method, change = make()
"""


@dataclass(frozen=True)
class Changing:
    """A text that defines `method`, and what is done between its calls."""

    number: int
    text: str
    changes: tuple[str, ...]
    features: tuple[str, ...]


def changing(number: int) -> Changing:
    """The program of this number."""
    pick = random.Random(number)
    slots = sorted({*pick.sample(sorted(SLOTS), pick.choice((1, 2, 2, 3))), "annotation"})
    texts = [pick.choice(SLOTS[slot][1]) for slot in slots]
    pick.shuffle(texts)
    one = " + ".join(texts[: len(texts) // 2] or ["a[i]"])
    two = " + ".join([*texts[len(texts) // 2 :], "0.0 * b[i]"])
    head = "\n\n".join(SLOTS[slot][0] for slot in slots if SLOTS[slot][0])
    changes = []
    for _ in range(pick.choice((3, 4, 5))):
        slot = pick.choice(slots)
        changes.append(
            pick.choice(
                (*SLOTS[slot][2], "method.__wrapped__.__defaults__ = (5,)") if pick.random() < 0.1 else SLOTS[slot][2]
            )
        )
    text = f"{HEADER}\n{head}\n\n{MAKE.format(one=one, two=two)}"
    return Changing(number, text, tuple(changes), tuple(slots))


def examine_changes(number: int, target: str) -> Examined:
    """Call the method of this number on `target` again and again, with a change between any two calls."""
    made = changing(number)
    found = Examined(number, features=list(made.features))
    start = time.monotonic()
    ours: dict[str, Any] = {"__name__": "generated"}
    plain: dict[str, Any] = {"__name__": "generated"}
    bare = made.text.replace("    @somd\n", "\n")
    for k, (text, same) in enumerate(((made.text, bare), *((change, change) for change in made.changes))):
        try:
            _execute(same.replace(".__wrapped__", ""), f"<plain {number}, change {k}>", plain)
            with own_errors():
                _execute(text, f"<changing {number}, change {k}>", ours)
            accepted = _compare(ours, plain, target, found, f"after {made.changes[:k]}")
        except Foreign as foreign:
            found.verdict = "failed"
            found.details.append(f"after {made.changes[:k]}: {foreign}")
            break
        except Refused as refused:
            accepted = False
            found.refused_calls[refused.code] = found.refused_calls.get(refused.code, 0) + 1
            if k == 0:
                found.verdict, found.code, found.details = "refused", refused.code, [str(refused)]
                break
        if not accepted and found.verdict == "differs":
            break
    found.seconds = time.monotonic() - start
    return found


def _execute(text: str, file: str, names: dict[str, Any]) -> None:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


def _compare(ours: dict[str, Any], plain: dict[str, Any], target: str, found: Examined, what: str) -> bool:
    pick = np.random.default_rng(found.number)
    given = Call((pick.integers(-16, 37, 12) / 4.0, np.zeros(12)), what)
    wanted = outcome(plain["method"], given)
    if wanted.undefined:
        found.undefined += 1
        return True
    for workers in (3, 1):
        with warnings.catch_warnings(), somd.use(target=target, workers=workers, small_work=0):
            warnings.simplefilter("error", SomdFallbackWarning)
            mine = run_call(ours["method"], given)
        differs = difference(wanted, mine, False, planned=True)
        if differs:
            found.verdict = "differs"
            found.details.append(f"{what}, {workers} workers: {differs}")
            return False
    found.calls += 1
    return True
