"""Calls of helper functions and of other methods: nested, under conditions, with defaults and keywords."""

from __future__ import annotations

from tests.property.writer import Place, Value, Writer, step, value

HELPERS = (
    "def {name}(x, y=2.0):\n    return x * 0.5 + y\n",
    "def {name}(x, y=1.0, *, z=0.5):\n    if x > y:\n        return x - z\n    return y - x * z\n",
    "def {name}(x, y=3.0):\n    u, v = x, y\n    for k in range(3):\n        u, v = v, u - 0.5 * v\n    return u\n",
    "def {name}(x, y=4.0):\n    s = 0.0\n    while y > 0.5:\n        s += x\n        y = y / 2.0\n    return s\n",
    "def {name}(x, y=0.0):\n    if x != x:\n        return y\n    return -x if x < 0 else x\n",
)
INTEGERS = (
    "def {name}(x, m=7):\n    h = x\n    for k in range(4):\n        h = h * 31 + k\n    return h % m\n",
    "def {name}(x, m=2):\n    count = 0\n    while x > m:\n        x = x // 2\n        count += 1\n    return count\n",
    "def {name}(x, m=3):\n    return abs(x - m) if x > m else m - x\n",
)
METHODS = (
    "@somd\ndef {name}(x: dist[np.ndarray], c=2.0) -> None:\n    for i in range(len(x)):\n        x[i] = 0.5 * x[i] + c\n",
    "@somd\ndef {name}(x: dist[np.ndarray], c=0.0):\n    s = c\n    for i in range(len(x)):\n        s = max(s, x[i])\n    return s\n",
    "@somd\ndef {name}(x: dist[np.ndarray], c=1.0):\n    y = np.zeros_like(x)\n    for i in range(1, len(x)):\n"
    "        y[i] = x[i - 1] - c\n    return y\n",
    "@somd\ndef {name}(x: dist[np.ndarray], c=1.0):\n    n = 0\n    for i in range(len(x) - 1, -1, -1):\n        if x[i] > c:\n"
    "            x[i] -= 1.0\n            n += 1\n    if n == 0:\n        return -1\n    return n\n",
)  # fmt: skip


@value
def helper_calls(w: Writer, place: Place) -> Value:
    f, g = (w.helper(w.one(*HELPERS)) for _ in range(2))
    x, y = (w.element(place, "f64") for _ in range(2))
    test = w.condition(place)
    return Value(w.one(f"{f}({x.text})", f"{f}({g}({x.text}), {y.text})", f"({f}({x.text}) if {test} else {g}({y.text}))",
                       f"{f}({x.text}, y={y.text})", f"{f}(y=0.5, x={x.text}) - {g}({x.text})", f"{f}({f}({f}({x.text})))",
                       f"(1.0 if {test} and {f}({x.text}) > {g}({y.text}) else 2.0)", f"max({f}({x.text}), {g}({y.text}))"), "f")  # fmt: skip


@value
def helper_of_integers(w: Writer, place: Place) -> Value:
    f = w.helper(w.one(*INTEGERS))
    x = w.element(place, w.one("i64", "i64", "i"), w.one("small", "edges")).text
    k = w.scalar("modulus")
    return Value(w.one(f"{f}({x})", f"{f}({x}, {k})", f"{f}({f}({x}), m=5)", f"{f}({place.i})", f"{f}(int({x}), {k})",
                       f"({f}({x}) if {w.condition(place)} else 0)"), "i")  # fmt: skip


@value
def helper_of_arrays(w: Writer, place: Place) -> Value:
    """A helper that reads an array, at the iteration's place or all of it."""
    f = w.helper(w.one("def {name}(x, i):\n    return x[i] - x[i - 1]\n",
                       "def {name}(x, i):\n    s = 0.0\n    for k in range(i):\n        s += x[k]\n    return s\n",
                       "def {name}(x, i):\n    return x[i] * len(x) + x.size\n",
                       "def {name}(x, i):\n    for k in range(len(x)):\n        if x[k] > x[i]:\n            return k\n    return -1\n"))  # fmt: skip
    x = w.array("f64", avoid=[*w.writing])
    w.reading.add(x)
    return Value(f"{f}({x}, {place.i})", "f", w.arrays[x].exact)


@step
def nested_methods(w: Writer) -> None:
    number = w.pick.randrange(len(METHODS))
    f = w.helper(METHODS[number])
    x = w.array("f64")
    k = w.scalar("flag")
    w.arrays[x].exact = False
    call = w.one(f"{f}({x})", f"{f}({x}, 0.5)", f"{f}(c=1.5, x={x})")
    if number == 0:
        with w.block(w.one(f"if {k} > 0:", f"for {w.fresh('r')} in range({k}):")):
            w.line(call)
        return
    t = w.fresh("t")
    if number == 2:
        w.line(f"{t} = {call}")
        w.line(f"{w.fresh('t')} = {f}({f}({t}, 0.25))" if w.chance(0.3) else "pass")
        w.arrays[t] = w.arrays[x].__class__(w.arrays[x].dtype, exact=False)
        return
    text = w.one(call, f"{call} + 1", f"({call} if {k} > 0 else {x}[0])", f"{call} - {f}({x}, 1.0)", f"max({call}, 0)")
    if "if" in text and number == 3:
        text = call
    w.line(f"{t} = {text}")
    w.results.append(t)
