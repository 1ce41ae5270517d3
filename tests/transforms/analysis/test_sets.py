"""Questions about sets leave out what of the context has nothing to do with them, and are answered the same."""

from __future__ import annotations

import random

from somd.transforms.access import Affine
from somd.transforms.analysis.sets import Sets

PARAMETERS = ("p", "q", "r", "s")


def formula(chance: random.Random, names: tuple[str, ...]) -> Affine:
    one, other = chance.sample(names, 2)
    relation = chance.choice(("<", "<=", "=", ">="))
    text, used = chance.choice(
        (
            (f"{one} {relation} {other} + {chance.randint(-2, 2)}", {one, other}),
            (f"{one} {relation} {chance.randint(-2, 2)}", {one}),
            ("0 = 0", set[str]()),
        )
    )
    return Affine(text, frozenset(used))


def test_random_questions() -> None:
    chance = random.Random(1)
    answers = []
    for _ in range(400):
        context = [formula(chance, PARAMETERS) for _ in range(chance.randint(0, 4))]
        asked = [formula(chance, ("i", "j", *PARAMETERS[:2])) for _ in range(chance.randint(1, 3))]
        sets = Sets(context)
        answers.append(sets.empty(["i", "j"], asked))
        assert answers[-1] == bool(sets.make(["i", "j"], asked).is_empty()), (context, asked)
        if not sets.impossible():
            left = [sets.make(["i", "j"], asked), sets.near(["i", "j"], asked)]
            low, high = (each.project_out_all_params() for each in left)
            assert low.is_equal(high), (context, asked)
    assert {True, False} == set(answers)


def test_nothing_is_left_of_code_that_is_never_reached() -> None:
    never = [Affine("n > 3", frozenset({"n"})), Affine("n < 2", frozenset({"n"}))]
    assert Sets(never).empty(["i"], [Affine("i >= 0", frozenset({"i"}))])
    assert not Sets(never[:1]).empty(["i"], [Affine("i >= 0", frozenset({"i"}))])
