"""Whether the iterations of a loop are independent, decided by isl.

Two accesses conflict when two different iterations of the loop touch the same element and one of them writes it. What
an access cannot say exactly (an index that is not affine, a condition on data) counts as "any": a conflict is then
possible, never ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.affine import size, variable
from somd.transforms.analysis.aliases import Aliases, equal
from somd.transforms.analysis.flat import digits_of
from somd.transforms.analysis.sets import Sets, TooComplex, renamed

OTHER = "__2"


@dataclass(frozen=True)
class Conflict:
    """Two accesses that different iterations of `loop` may make to one element, and do, if `certain`, unless something
    is raised. An example is looked for when somebody asks: most conflicts are those of loops that run in order."""

    first: Access
    second: Access
    certain: bool
    loop: cst.For
    sets: Sets
    variables: Sequence[str]
    formulas: Sequence[Affine]

    @cached_property
    def values(self) -> Mapping[str, int]:
        """An example, where isl has one."""
        with suppress(TooComplex):
            return self.sets.sample(self.variables, self.formulas) or {}
        return {}

    @cached_property
    def distance(self) -> int | None:
        """How many more the loop variable is in the second access than in the first, where that is always the same."""
        name = variable(self.loop.target.value) if isinstance(self.loop.target, cst.Name) else ""
        if name not in self.values or name + OTHER not in self.values:
            return None
        distance = self.values[name + OTHER] - self.values[name]
        differs = Affine(f"{name}{OTHER} - {name} != {distance}", frozenset({name, name + OTHER}))
        with suppress(TooComplex):
            return distance if self.sets.empty(self.variables, [*self.formulas, differs]) else None
        return None


def find_conflict(
    accesses: Sequence[Access], loop: cst.For, aliases: Aliases, sets: Sets, wraps: bool = True
) -> Conflict | None:
    """The first conflict between iterations of `loop`, or None if there is none: they are independent.

    With `wraps` false, on the assumption that no index is negative.

    Raises:
        TooComplex: isl gave up.
    """
    for first, second in _pairs(accesses, aliases):
        variables, formulas = conflict_formulas(first, second, _depth(first, loop), sets, wraps)
        if not sets.empty(variables, formulas):
            certain = first.usual and second.usual and None not in (*first.indices, *second.indices)
            return Conflict(first, second, certain, loop, sets, variables, formulas)
    return None


def meet(first: Access, second: Access, loop: cst.For, sets: Sets) -> bool:
    """Whether two different iterations of `loop` may reach one element of an array, with one access each.

    Raises:
        TooComplex: isl gave up.
    """
    return not sets.empty(*conflict_formulas(first, second, _depth(first, loop), sets))


def overlap(first: Access, second: Access, loop: cst.For, aliases: Aliases, sets: Sets) -> bool:
    """Whether two accesses may reach one element in iterations of `loop`, be it one iteration or two.

    Raises:
        TooComplex: isl gave up.
    """
    if not aliases.may_be_one(first.array, second.array):
        return False
    return not sets.empty(*conflict_formulas(first, second, _depth(first, loop), sets, apart=False))


def _depth(access: Access, loop: cst.For) -> int:
    return next(k for k, domain in enumerate(access.loops) if domain.node is loop)


def _pairs(accesses: Sequence[Access], aliases: Aliases) -> Iterator[tuple[Access, Access]]:
    # Of accesses that say the same, the first one has the first conflict, with itself if need be.
    first_to_say: dict[tuple[object, ...], Access] = {}
    for access in accesses:
        first_to_say.setdefault(_said(access), access)
    different = list(first_to_say.values())
    for k, first in enumerate(different):
        for second in different[k:]:
            if aliases.may_be_one(first.array, second.array) and (first.write or second.write):
                yield (first, second) if first.write else (second, first)


def _said(access: Access) -> tuple[object, ...]:
    """What isl is told of an access."""
    return (
        access.array,
        access.indices,
        access.write,
        access.loops,
        access.guards,
        access.exact,
        access.usual,
        access.flat,
    )


def conflict_formulas(
    first: Access, second: Access, depth: int, sets: Sets, wraps: bool = True, apart: bool = True
) -> tuple[list[str], list[Affine]]:
    """Variables and formulas of: another iteration of loop number `depth` touches the same element, the arrays of both
    accesses being one; with `apart` false, any iteration."""
    mine = [domain.variable for domain in first.loops[depth:]]
    others = [domain.variable for domain in second.loops[depth:]]
    formulas = [c for domain in first.loops[:depth] for c in domain.constraints]
    if first.array != second.array:
        formulas += [equal(first.array, second.array, axis) for axis in range(len(first.indices))]
    digits = _digits(first, second, sets)
    if digits is not None:
        elements = [f"e_{k}" for k in range(len(digits[0]))]
        formulas += [*_occurs(first, depth), *_equals(digits[0], elements)]
        theirs = [*_occurs(second, depth), *_equals(digits[1], elements)]
    else:
        elements = [f"e_{axis}" for axis in range(len(first.indices))]
        formulas += [*_occurs(first, depth), *_touches(first, elements, sets, wraps)]
        theirs = [*_occurs(second, depth), *_touches(second, elements, sets, wraps)]
    keys = sorted({name for formula in (*formulas, *theirs) for name in keys_in(formula)})
    formulas += [renamed(formula, [*others, *keys], OTHER) for formula in theirs]
    keys += [name + OTHER for name in keys]
    loop = first.loops[depth].variable
    if apart:
        formulas += _kept_apart(keys, loop)
        formulas.append(Affine(f"{loop} != {loop}{OTHER}", frozenset({loop, loop + OTHER})))
    return [*mine, *(name + OTHER for name in others), *keys, *elements], formulas


def _digits(first: Access, second: Access, sets: Sets) -> tuple[tuple[Affine, ...], tuple[Affine, ...]] | None:
    """The indexes of two accesses in digits of the same moduli, if they are matrices laid out by hand."""
    for flat in first.flat or second.flat:
        mine = digits_of(first, flat.moduli, sets)
        theirs = None if mine is None else digits_of(second, flat.moduli, sets)
        if mine is not None and theirs is not None:
            return mine, theirs
    return None


def _equals(digits: Sequence[Affine], elements: Sequence[str]) -> Iterator[Affine]:
    for digit, element in zip(digits, elements, strict=True):
        yield Affine(f"{element} = {digit.text}", digit.names | {element})


def keys_in(formula: Affine) -> list[str]:
    """The keys (see `affine.key`) among the names of a formula."""
    return [name for name in formula.names if name.startswith("k_")]


def _kept_apart(keys: Sequence[str], loop: str) -> Iterator[Affine]:
    """Keys are not negative, and those that `loop` itself indexes differ between MIs: the partitioner sees to it, and
    iterations of one MI run in order."""
    for name in keys:
        yield Affine(f"{name} >= 0", frozenset({name}))
        if name.endswith(f"__{loop}") and name + OTHER in keys:
            yield Affine(f"{name} != {name}{OTHER}", frozenset({name, name + OTHER}))


def _occurs(access: Access, depth: int) -> Iterator[Affine]:
    for domain in access.loops[depth:]:
        yield from domain.constraints
    yield from access.guards


def _touches(access: Access, elements: Sequence[str], sets: Sets, wraps: bool) -> Iterator[Affine]:
    for axis, (index, element) in enumerate(zip(access.indices, elements, strict=False)):
        length = size(access.array, axis)
        yield Affine(f"0 <= {element} < {length}", frozenset({element, length}))
        if index is None:
            continue
        names = index.names | {element, length}
        if wraps and may_be_negative(access, axis, sets):
            text = f"({element} = {index.text}) or ({index.text} < 0 and {element} = {index.text} + {length})"
            yield Affine(text, names)
        else:
            yield Affine(f"{element} = {index.text}", names)


def domain_formulas(access: Access) -> list[Affine]:
    """All that holds when the access happens, for all loops around it."""
    return list(_occurs(access, 0))


def may_be_negative(access: Access, axis: int, sets: Sets) -> bool:
    """Whether the index along `axis` can be below zero, and so count from the end."""
    index = access.indices[axis]
    if index is None:
        return True
    # an access is in many pairs; it is kept, so that no other one has its place in memory
    _, known = sets.negative.setdefault(id(access), (access, {}))
    if axis not in known:
        keys = keys_in(index)
        variables = [*(domain.variable for domain in access.loops), *keys]
        positive = [Affine(f"{name} >= 0", frozenset({name})) for name in keys]
        below = Affine(f"{index.text} < 0", index.names)
        known[axis] = not sets.empty(variables, [*domain_formulas(access), *positive, below])
    return known[axis]
