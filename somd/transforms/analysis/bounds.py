"""The checks that keep every affine access inside its array, as conditions over scalars and shapes.

A check is decided once, before its phase; a check that isl proves can never fail is left out. Accesses that are not
exactly known (index or condition on data) are guarded where they happen instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import islpy as isl
import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference, size
from somd.transforms.analysis.dependences import domain_formulas, keys_in, may_be_negative
from somd.transforms.analysis.python_text import condition_text, value_text
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import names_read
from somd.transforms.tree.walking import nodes_of

#: the name in isl of the index of an access
FIRST = "somd_first"
#: the first iteration outside is searched in so many loops at most, and told by a text of so many characters
MOST_LOOPS, LONGEST = 3, 120


def hoistable(access: Access) -> bool:
    """Whether the access happens exactly where its domain says, so that one check before the phase will do."""
    return access.exact and not any(index is None or keys_in(index) for index in access.indices)


def violation(access: Access, axis: int, sets: Sets) -> str | None:
    """Python text that is true when some iteration leaves the array along `axis`; None if that cannot be.

    Raises:
        TooComplex: isl gave up, or its answer has no Python form.
    """
    variables = [domain.variable for domain in access.loops]
    return reached(variables, [*domain_formulas(access), _outside(access, axis, sets)], sets)


def of_statement(access: Access, axis: int) -> Access | None:
    """An access as a statement asks for it that may have no elements, if the index along `axis` is the same for all of
    them and its check needs nothing else; without the loops over them."""
    index, where = access.indices[axis], access.statement
    if where is None or axis not in access.asked or index is None or keys_in(index) or not where.exact:
        return None
    inner = {domain.variable for domain in access.loops[len(where.loops) :]}
    if index.names & inner:
        return None
    return replace(access, loops=where.loops, guards=where.guards, exact=True)


def as_asked(access: Access, axis: int) -> Access:
    """An access with the loops and conditions under which its index along `axis` is asked for."""
    return of_statement(access, axis) or access


def first_outside(access: Access, axis: int, sets: Sets) -> str:
    """Python text of the index with which the first iteration leaves the array along `axis`, if one does; "" where that
    has no short text."""
    index = access.indices[axis]
    headers = [range_of(domain.node) for domain in access.loops]
    forward = all(header is not None and isinstance(header.step, cst.Integer) for header in headers)
    backward = all(header is not None and isinstance(header.step, cst.UnaryOperation) for header in headers)
    told = (forward or backward) and len(headers) <= MOST_LOOPS
    if index is None or not told or any(domain.strided for domain in access.loops):
        return ""
    variables = [*(domain.variable for domain in access.loops), FIRST]
    found = Affine(f"({FIRST} = {index.text})", index.names | {FIRST})
    formulas = [*domain_formulas(access), _outside(access, axis, sets), found]
    sets.isl.reset_operations()
    try:
        outside = sets.make(variables, formulas)
        first = outside.lexmin_pw_multi_aff() if forward else outside.lexmax_pw_multi_aff()
        value = first.get_pw_aff(len(headers)).coalesce()
        text = value_text(value.gist_params(outside.params()), outside)
    except (isl.Error, TooComplex):
        return ""
    return text if len(text) <= LONGEST else ""


def _outside(access: Access, axis: int, sets: Sets) -> Affine:
    """That the index of an access leaves the array along `axis`."""
    index = access.indices[axis]
    assert index is not None
    length = size(access.array, axis)
    outside = f"({index.text} >= {length})"
    if may_be_negative(access, axis, sets):
        outside = f"({index.text} < -{length} or {index.text} >= {length})"
    return Affine(outside, index.names | {length})


def negative(access: Access, axis: int, sets: Sets) -> str | None:
    """Python text that is true when some iteration may have a negative index along `axis`; None if that cannot be.

    Raises:
        TooComplex: isl gave up, or its answer has no Python form.
    """
    index = access.indices[axis]
    if index is None or keys_in(index):
        return None
    below = Affine(f"({index.text} < 0)", index.names)
    return reached([domain.variable for domain in access.loops], [*domain_formulas(access), below], sets)


def reached(variables: Sequence[str], formulas: Sequence[Affine], sets: Sets) -> str | None:
    """Python text of: there are values of `variables` that satisfy the formulas; None if there never are."""
    if sets.empty(variables, formulas):
        return None
    sets.isl.reset_operations()
    try:
        found = sets.make(variables, formulas)
        if found.is_empty():
            return None
        known = sets.make([], []).params().align_params(found.get_space().params())
        return condition_text(_simpler(found.params(), sets.bare(variables, formulas).params(), known))
    except isl.Error as error:
        raise TooComplex(str(error)) from error


def _simpler(found: isl.Set, bare: isl.Set, known: isl.Set) -> isl.Set:
    """The simpler of two sets that are the same where `known` holds: what is found with all facts, or with none.

    A fact that is itself a choice between several, as that two lengths fit, is not gone from what was found with it.
    """
    simple = found.gist(known).coalesce()
    if simple.n_basic_set() > 1 and bare.intersect(known).is_subset(found):
        other = bare.gist(known).coalesce()
        return min(simple, other, key=isl.Set.n_basic_set)
    return simple


def proved_lowest(variables: Sequence[str], formulas: Sequence[Affine], expression: str, sets: Sets) -> int | None:
    """1 or 0 if `expression` is proved to be at least that, else None."""
    for lowest in (1, 0):
        if sets.empty(variables, [*formulas, Affine(f"{expression} < {lowest}", frozenset({expression}))]):
            return lowest
    return None


def in_bounds(access: Access, sets: Sets, unless: Collection[str] = (), within: Collection[str] = ()) -> bool:
    """Whether an access of any kind is proved inside its array for all values of the parameters, but for those that
    make one of the texts in `unless` true; indexes that are made of names in `within` are."""
    axes = [axis for axis in range(len(access.indices)) if not is_within(access, axis, within)]
    if any((index := access.indices[axis]) is None or keys_in(index) for axis in axes):
        return False
    return all((bad := violation(as_asked(access, axis), axis, sets)) is None or bad in unless for axis in axes)


def is_within(access: Access, axis: int, within: Collection[str]) -> bool:
    """Whether the index of an axis is made of names that passes made so that it lies inside."""
    if not within:
        return False
    index = index_expressions(access.node)[axis]
    shapes = (shape_reference(n) for n in nodes_of(index, cst.Subscript))
    return not names_read(index).isdisjoint(within) and None not in shapes
