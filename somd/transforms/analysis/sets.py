"""isl sets from formulas, within a bound on isl's work, and the questions asked of them.

Nothing here knows of Python or libcst. `TooComplex` is raised when isl would need more than its share of operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import islpy as isl

from somd.compiling.signals import answer
from somd.transforms.access import Affine

MAX_OPERATIONS = 4_000_000
#: whether formulas have no solution, by their texts: long methods, and a method for its next signature, ask the same
#: again
_answers: dict[tuple[str, ...], bool] = {}
#: sets by their texts: isl takes long to read them, and several questions about a loop begin with the same one
_read: dict[str, isl.Set] = {}
#: what satisfies the first formulas of questions, by their texts: of questions about a loop most are the same
_joined: dict[tuple[str, ...], isl.Set] = {}
_KEPT = 1 << 14


class TooComplex(Exception):
    """isl gave up: the question needs more operations than a compiler should spend."""


@cache
def _isl() -> isl.Context:
    """The context of isl in which all sets are made: one compilation runs at a time."""
    made = isl.Context()
    made.set_max_operations(MAX_OPERATIONS)
    return made


class Sets:
    """Makes sets; `context` holds for all of them."""

    def __init__(self, context: Sequence[Affine] = ()) -> None:
        self.isl = _isl()
        self.isl.reset_operations()
        self.context = tuple(context)
        #: by access: whether the index along an axis may be below 0, as far as that was asked (`dependences.py`)
        self.negative: dict[int, tuple[Any, dict[int, bool]]] = {}

    def make(self, variables: Sequence[str], formulas: Iterable[Affine]) -> isl.Set:
        """{ [variables] : formulas and the context }, every other name being a parameter."""
        return self._set(variables, (*formulas, *self.context))

    def bare(self, variables: Sequence[str], formulas: Iterable[Affine]) -> isl.Set:
        """As `make`, without the context."""
        return self._set(variables, tuple(formulas))

    def near(self, variables: Sequence[str], formulas: Iterable[Affine]) -> isl.Set:
        """As `make`, with that part of the context alone that has to do with the formulas: the same values of variables
        unless the context is impossible."""
        return self._set(variables, self._with_context(tuple(formulas)))

    def _set(self, variables: Sequence[str], everything: Sequence[Affine]) -> isl.Set:
        names = sorted(frozenset[str]().union(*(f.names for f in everything)) - set(variables))
        text = " and ".join(f"({f.text})" for f in everything) or "true"
        return _within_share(f"[{', '.join(names)}] -> {{ [{', '.join(variables)}] : {text} }}")

    def _values(self, everything: Sequence[Affine]) -> isl.Set:
        """The values of all names that satisfy the formulas.

        Formulas are read one by one, for most of them stand in many questions, and reading takes isl longest; after
        that what the last of several take with those before them.
        """
        texts = tuple(f.text for f in everything)
        known = next((k for k in range(len(texts), 0, -1) if texts[:k] in _joined), 0)
        found = _joined[texts[:known]] if known else None
        for k, formula in enumerate(everything[known:], known + 1):
            each = _within_share(f"[{', '.join(sorted(formula.names))}] -> {{ : {formula.text} }}")
            found = each if found is None else found.intersect(each)
            if len(_joined) >= _KEPT:
                _joined.clear()
            _joined[texts[:k]] = found
        assert found is not None
        return found

    def empty(self, variables: Sequence[str], formulas: Iterable[Affine]) -> bool:
        """Whether no value of variables and parameters, which are alike for this question, satisfies the formulas."""
        formulas = tuple(formulas)
        everything = self._with_context(formulas)
        return self._is_empty((*everything[len(formulas) :], *everything[: len(formulas)])) or self.impossible()

    def impossible(self) -> bool:
        """Whether the context alone cannot be satisfied: of code that is never reached."""
        return self._is_empty(self.context)

    def _is_empty(self, everything: Sequence[Affine]) -> bool:
        question = tuple(formula.text for formula in everything)
        known = _answers.get(question)
        if known is not None:
            return known
        answer()
        self.isl.reset_operations()
        try:
            found = bool(everything) and bool(self._values(everything).is_empty())
        except isl.Error as error:
            raise TooComplex(str(error)) from error
        if len(_answers) >= _KEPT:
            _answers.clear()
        _answers[question] = found
        return found

    def _with_context(self, formulas: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """The formulas, and of the context what has names in common with them, or with what is taken of it.

        The rest changes a set only where it is impossible: a question is smaller without it, and asked less often.
        """
        names = set[str]().union(*(formula.names for formula in formulas))
        taken: set[Affine] = set()
        while True:
            near = {f for f in self.context if f not in taken and (not f.names or not names.isdisjoint(f.names))}
            if not near:
                break
            taken |= near
            names.update(*(fact.names for fact in near))
        return (*formulas, *(fact for fact in self.context if fact in taken))

    def sample(self, variables: Sequence[str], formulas: Iterable[Affine]) -> dict[str, int] | None:
        """Values of variables and parameters that satisfy the formulas, the smallest that isl finds."""
        formulas = tuple(formulas)
        self.isl.reset_operations()
        try:
            found = self.make(variables, [*formulas, *(Affine(f"-8 <= {v} <= 8", frozenset({v})) for v in variables)])
            if found.is_empty():
                found = self.make(variables, formulas)
            point = found.sample_point()
            if point.is_void():
                return None
            space = point.get_space()
            return {
                str(space.get_dim_name(kind, k)): int(point.get_coordinate_val(kind, k).to_python())
                for kind in (isl.dim_type.param, isl.dim_type.set)
                for k in range(space.dim(kind))
            }
        except isl.Error as error:
            raise TooComplex(str(error)) from error


def _within_share(text: str) -> isl.Set:
    """`read`, where isl may need too many operations."""
    try:
        return read(text)
    except isl.Error as error:
        if "operations" in str(error) or "quota" in str(error):
            raise TooComplex(str(error)) from error
        raise AssertionError(f"isl does not read {text!r}") from error


def read(text: str) -> isl.Set:
    """The set that a text stands for."""
    found = _read.get(text)
    if found is None:
        found = isl.Set(text, _isl())
        if len(_read) >= _KEPT:
            _read.clear()
        _read[text] = found
    return found


def renamed(formula: Affine, variables: Iterable[str], suffix: str) -> Affine:
    """`formula` with `suffix` behind each of `variables`."""
    chosen = set(variables) & formula.names
    if not chosen:
        return formula
    pattern = r"\b(" + "|".join(re.escape(name) for name in sorted(chosen)) + r")\b"
    names = frozenset(name + suffix if name in chosen else name for name in formula.names)
    return Affine(re.sub(pattern, rf"\1{suffix}", formula.text), names)
