"""What may be one array behind statements, against running them on all the ways through."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial

import libcst as cst

from somd.transforms.analysis.aliases import Aliases, aliases_of
from tests.usual import ALL

NAMES = "abcde"


def last_of(text: str, same: dict[str, str], names: Sequence[str] = NAMES) -> Aliases:
    """What may be one array before the last statement of a method's body."""
    body = cst.parse_module(text).body
    return aliases_of(body, names, same).get(cst.ensure_type(body[-1], cst.SimpleStatementLine).body[0], Aliases())


def block(pick: random.Random, depth: int) -> Iterator[str]:
    indent = "    " * depth
    for _ in range(pick.randint(1, 3)):
        kind = pick.random()
        if kind < 0.5 or depth > 2:
            chosen = pick.sample(NAMES, pick.choice((2, 2, 3)))
            yield f"{indent}{', '.join(chosen)} = {', '.join(chosen[1:] + chosen[:1])}\n"
        elif kind < 0.6:
            yield f"{indent}{pick.choice(NAMES)} = new()\n"
        elif kind < 0.8:
            yield f"{indent}if way():\n"
            yield from block(pick, depth + 1)
            if pick.random() < 0.5:
                yield f"{indent}else:\n"
                yield from block(pick, depth + 1)
        else:
            yield f"{indent}while way():\n"
            yield from block(pick, depth + 1)
            if pick.random() < 0.3:
                yield f"{indent}    if way():\n{indent}        {pick.choice(('break', 'continue'))}\n"
                yield from block(pick, depth + 1)


def test_pairs_against_runs() -> None:
    for number in range(300 if ALL else 120):
        pick = random.Random(number)
        text = "".join(block(pick, 0))
        same = pick.choice(({"b": "a"}, {"c": "a", "b": "a"}, {"b": "a", "d": "c"}))
        found = last_of(text + "end\n", same)
        seen: set[frozenset[str]] = set()
        always: set[frozenset[str]] = set(found.certain)
        compiled = compile(text, "text", "exec")
        for _ in range(60):
            ways = iter([pick.random() < 0.6 for _ in range(12)])
            memory = {name: object() for name in NAMES}
            names = {name: memory[same.get(name, name)] for name in NAMES}
            exec(compiled, names | {"way": partial(next, ways, False), "new": object}, names)
            pairs = {frozenset((x, y)) for x in NAMES for y in NAMES if x < y and names[x] is names[y]}
            seen |= pairs
            always &= pairs
        assert seen <= found.possible, text
        assert always == found.certain, text


def test_exchanges_keep_arrays_apart() -> None:
    turns = "for t in range(n):\n    a, b = b, a\n    a, b, c = c, a, b\nend\n"
    assert last_of(turns, {"e": "d"}).possible == {frozenset("de")}
    found = last_of("if p:\n    a, c = c, a\nend\n", {"b": "a"})
    assert found.possible == {frozenset("ab"), frozenset("bc")}
    assert found.certain == frozenset()
    assert last_of("a, c = c, a\nend\n", {"b": "a"}) == Aliases(
        frozenset({frozenset("bc")}), frozenset({frozenset("bc")})
    )


def test_more_ways_than_are_followed() -> None:
    names = [f"x{k}" for k in range(24)]
    text = "".join(f"if p:\n    {x}, {y} = {y}, {x}\n" for k, x in enumerate(names) for y in names[:k]) + "end\n"
    body = cst.parse_module(text).body
    found = aliases_of(body, names, {"x1": "x0", "x3": "x2"})[
        cst.ensure_type(body[-1], cst.SimpleStatementLine).body[0]
    ]
    assert len(found.possible) == 24 * 23 // 2
    assert not found.certain
