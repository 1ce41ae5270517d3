"""Indexes of matrices that are laid out by hand in one dimension: `a[i * m + j]`, `a[(i * m + j) * n + k]`.

The product of two scalars is not affine, but where 0 <= j < m is proved, `i` and `j` are quotient and remainder: two
such indexes with the same `m` are equal if and only if both parts are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from somd.transforms.access import Access, Affine, Flat
from somd.transforms.analysis.affine import Scope, affine
from somd.transforms.analysis.sets import Sets, TooComplex

#: a coefficient and the factors behind it
Monomial = tuple[int, tuple[Affine, ...]]
MOST = 16


def flat_indexes(node: cst.BaseExpression, scope: Scope, variables: frozenset[str]) -> tuple[Flat, ...]:
    """The ways to read `node` as digits and moduli; the moduli are none of `variables`, which change from iteration
    to iteration."""
    found = _monomials(node, scope)
    return () if found is None else tuple(_digits(found, variables))[:MOST]


def digits_of(access: Access, moduli: tuple[Affine, ...], sets: Sets) -> tuple[Affine, ...] | None:
    """The digits of the index of `access` for `moduli`, where they are proved to be digits; None elsewhere."""
    index = access.indices[0]
    written = next((flat for flat in access.flat if flat.moduli == moduli), None)
    if written is not None:
        digits = written.digits
    elif index is not None:
        digits = (*(Affine("0") for _ in moduli), index)
    else:
        return None
    outside = [Affine(f"{digits[0].text} < 0", digits[0].names)]
    for digit, modulus in zip(digits[1:], moduli, strict=True):
        names = digit.names | modulus.names
        outside.append(Affine(f"({digit.text} < 0 or {digit.text} >= {modulus.text})", names))
    holds = [c for domain in access.loops for c in domain.constraints] + list(access.guards)
    variables = [domain.variable for domain in access.loops]
    try:
        return digits if all(sets.empty(variables, [*holds, formula]) for formula in outside) else None
    except TooComplex:
        return None


def _monomials(node: cst.BaseExpression, scope: Scope) -> list[Monomial] | None:
    """The sum of products that `node` is; None if it is something else."""
    whole = affine(node, scope)
    if whole is not None and not isinstance(node, cst.BinaryOperation):
        return [(int(whole.text.strip("()")), ())] if not whole.names else [(1, (whole,))]
    if not isinstance(node, cst.BinaryOperation):
        return None
    if isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply):
        left, right = _monomials(node.left, scope), _monomials(node.right, scope)
        if left is None or right is None:
            return None
        if isinstance(node.operator, cst.Multiply):
            product = [(a * b, (*mine, *theirs)) for a, mine in left for b, theirs in right]
            return product if len(product) <= MOST else None
        sign = -1 if isinstance(node.operator, cst.Subtract) else 1
        return [*left, *((sign * c, factors) for c, factors in right)]
    return None if whole is None else [(1, (whole,))]


def _digits(monomials: Sequence[Monomial], variables: frozenset[str]) -> Iterator[Flat]:
    products = [factors for _, factors in monomials if len(factors) > 1]
    if not products:
        yield Flat((_sum(monomials),), ())
        return
    for modulus in dict.fromkeys(products[0]):
        stable = modulus.names == {modulus.text} and not modulus.names & variables
        if not stable or not all(modulus in factors for factors in products):
            continue
        above = [(c, _without(modulus, factors)) for c, factors in monomials if modulus in factors]
        below = [(c, factors) for c, factors in monomials if modulus not in factors]
        for upper in _digits(above, variables):
            yield Flat((*upper.digits, _sum(below)), (*upper.moduli, modulus))


def _without(modulus: Affine, factors: tuple[Affine, ...]) -> tuple[Affine, ...]:
    at = factors.index(modulus)
    return (*factors[:at], *factors[at + 1 :])


def _sum(monomials: Sequence[Monomial]) -> Affine:
    """Monomials of at most one factor as an affine expression."""
    names = frozenset[str]().union(*(factor.names for _, factors in monomials for factor in factors))
    parts = [f"{c} * {factors[0].text}" if factors else str(c) for c, factors in monomials]
    return Affine("(" + " + ".join(f"({part})" for part in parts) + ")" if parts else "0", names)
