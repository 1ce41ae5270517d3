"""Arrays that a fence combines, in masters and slaves.

    blocks, length = copy_blocks(trips(0, len(a), 1), trips(0, len(a), 1), h.size)
    h_rows = rows_of(h, blocks)
    ...                                             # in the slave: h_own = own_copy(h, h_rows, block, np.float64(-0.0))
    if combining_work(h, h_rows) < small_work():
        combine_sum(h, h_rows, 0, h.size)
    else:
        for rank in prange(n_slaves):
            lo, hi = slave_range(0, h.size, 1, rank, n_slaves)
            combine_sum(h, h_rows, lo, hi)

Float sums and products have a copy for each logical block, the number of which depends on the trips and the sizes of
all these arrays alone; for everything else, which is exact in any order, a copy for each MI will do.
"""

from __future__ import annotations

from collections.abc import Sequence

from somd.language.operators import OPERATORS
from somd.transforms.multicore.identities import identity
from somd.transforms.multicore.names import Fresh
from somd.transforms.stages import Combined, Nest, Reduction
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types


def ordered(combined: Combined, types: Types) -> bool:
    """Whether the result depends on the order: sums and products of floats."""
    return OPERATORS[combined.op].ordered and _type(combined, types).element.kind in "fc"


def _type(combined: Combined, types: Types) -> ArrayType:
    found = types.names[combined.array]
    assert isinstance(found, ArrayType)
    return found


def rows_name(array: str, fresh: Fresh) -> str:
    """The name of all copies of `array`."""
    return fresh.name(f"{array}_rows")


def own_name(array: str, fresh: Fresh) -> str:
    """The name of an MI's copy of `array`."""
    return fresh.name(f"{array}_own")


def own_copy_text(combined: Combined, own: str, row: str, types: Types, fresh: Fresh) -> str:
    """The statement with which a slave takes a copy."""
    start = identity(combined.op, _type(combined, types).element)
    return f"{own} = own_copy({combined.array}, {rows_name(combined.array, fresh)}, {row}, {start})"


def blocks_text(nest: Nest, types: Types, count: str, updates: str) -> str:
    """The number of logical blocks and their trips, of `count` trips in all: where a result depends on them, such that
    on every target a block can have copies of its own of all arrays."""
    if any(ordered(c, types) for c in nest.combined) or any(_float_sum(r, types) for r in nest.reductions):
        return f"copy_blocks({count}, {updates}, {_sizes(nest.combined)})"
    return f"logical_blocks({count}, 1)"


def _float_sum(reduction: Reduction, types: Types) -> bool:
    found = types.names[reduction.name]
    return OPERATORS[reduction.op].ordered and isinstance(found, ScalarType) and found.kind in "fc"


def parts_text(nest: Nest, types: Types, parts: str, updates: str) -> str:
    """How many MIs run the phase."""
    sizes = _sizes([c for c in nest.combined if not ordered(c, types)])
    return f"copy_shares({parts}, {updates}, {sizes})" if sizes else parts


def _sizes(combined: Sequence[Combined]) -> str:
    return " + ".join(f"{each.array}.size" for each in combined)


def rows_texts(nest: Nest, types: Types, blocks: str, parts: str, fresh: Fresh) -> list[str]:
    """The statements that make room for the copies."""
    made = []
    for each in nest.combined:
        count = blocks if ordered(each, types) else parts
        made.append(f"{rows_name(each.array, fresh)} = rows_of({each.array}, {count})")
    return made


def combining_texts(nest: Nest, types: Types, fresh: Fresh) -> list[str]:
    """The statements that combine the copies, after the phase."""
    rank, parts, lo, hi = (fresh.name(n) for n in ("rank", "n_slaves", "lo", "hi"))
    made = []
    for each in nest.combined:
        kind = _type(each, types).element.kind
        array, rows, operator = each.array, rows_name(each.array, fresh), OPERATORS[each.op].of_kind(kind)
        if kind == "b":
            operator = OPERATORS[operator.of_bools or each.op]
        function = f"combine_{operator.short}"
        made.append(
            f"if combining_work({array}, {rows}) < small_work():\n"
            f"    {function}({array}, {rows}, 0, {array}.size)\n"
            f"else:\n"
            f"    for {rank} in prange({parts}):\n"
            f"        {lo}, {hi} = slave_range(0, {array}.size, 1, {rank}, {parts})\n"
            f"        {function}({array}, {rows}, {lo}, {hi})\n"
        )
    return made


def takes_text(reduction: Reduction, kind: str, partial: str, flag: str) -> str:
    """The condition, as Python text, under which the partial result takes the accumulator's place."""
    name, taking = reduction.name, reduction.taking(kind)
    better = OPERATORS[reduction.op].better
    if taking.unordered:
        kept = better if taking.equal else f"{better}="
        return f"{flag} or ({partial} == {partial} and not {name} {kept} {partial})"
    text = f"{partial} {better}{'=' if taking.equal else ''} {name}"
    return f"{flag} and {text}" if reduction.flagged(kind) else text
