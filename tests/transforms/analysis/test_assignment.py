"""Names without a value, against running the statements on all the ways through."""

from __future__ import annotations

import random
from collections.abc import Iterator

import libcst as cst

from somd.transforms.analysis.assignment import read_from_before, unset_reads
from somd.transforms.frontend.source_to_method import method_of
from tests.transforms.analysis.loops import function_of
from tests.usual import ALL

METHOD = method_of(function_of("def f(a: dist[np.ndarray]):\n    for i in range(len(a)):\n        a[i] = 1.0\n"))
NAMES = "uvwx"


def block(pick: random.Random, depth: int, looped: bool) -> Iterator[str]:
    indent = "    " * depth
    for _ in range(pick.randint(1, 3)):
        kind = pick.random()
        if kind < 0.3:
            yield f"{indent}{pick.choice(NAMES)} = 1\n"
        elif kind < 0.5:
            yield f"{indent}see({pick.choice(NAMES)})\n"
        elif kind < 0.6 or depth > 2:
            yield f"{indent}{pick.choice(NAMES)} += {pick.choice(NAMES)}\n"
        elif kind < 0.75:
            yield f"{indent}if way():\n"
            yield from block(pick, depth + 1, looped)
            if pick.random() < 0.5:
                yield f"{indent}else:\n"
                yield from block(pick, depth + 1, looped)
        else:
            loops = ("while way()", "while True", "for i in range(turns())", "for w in range(2)", "for x in range(0)")
            yield f"{indent}{pick.choice(loops)}:\n"
            yield from block(pick, depth + 1, True)
            yield f"{indent}    if way():\n{indent}        {pick.choice(('break', 'break', 'continue'))}\n"


def ends(text: str, pick: random.Random) -> str:
    """How a run of statements ends: the name that has no value, or nothing."""
    ways = iter([pick.random() < 0.5 for _ in range(9)])

    def way() -> bool:
        found = next(ways, None)
        if found is None:
            raise StopIteration
        return found

    given = {"way": way, "turns": lambda: 2 * way(), "see": lambda value: None}
    body = "".join(f"    {line}\n" for line in text.splitlines())
    names: dict[str, object] = {}
    exec(f"def run(way, turns, see):\n    if way is None:\n        u = v = w = x = i = 0\n{body}", names)
    try:
        names["run"](**given)  # type: ignore[operator]
    except UnboundLocalError as error:
        return str(error).split("'")[1]
    except StopIteration:
        pass
    return ""


def test_reads_against_runs() -> None:
    precise = 0
    count = 400 if ALL else 150
    for number in range(count):
        pick = random.Random(number)
        text = "".join(block(pick, 0, False))
        found = unset_reads(cst.parse_module(text).body, METHOD, (), set(NAMES))
        told = {name for each in found for name in each.names}
        seen = {ends(text, pick) for _ in range(40)} - {""}
        assert seen <= told, text
        precise += seen == told
    assert precise > count // 2


def test_what_a_turn_reads_of_the_one_before() -> None:
    text = "s += p\nfor p in range(2):\n    c = p\nfor q in range(n):\n    d = c\nuse(d, e)\n"
    assert read_from_before(cst.parse_module(text).body, METHOD) >= {"s", "p", "d", "e", "n"}
    assert not read_from_before(cst.parse_module(text).body, METHOD) & {"c", "q"}


def test_the_same_statement_is_told_once() -> None:
    body = cst.parse_module("while way():\n    if way():\n        u = 1\n    see(u, v)\nsee(u)\n").body
    found = unset_reads(body, METHOD, ("v",), set(NAMES))
    assert [each.names for each in found] == [("u",), ("u",)]
