"""The C function by which work-items of a group add up terms of a few sums, each in its order, to the bit.

A block of 64 terms has 8 work-items, each of which adds up 8 terms as multiples of the unit u of the sum, and one
work-item of the sum follows its blocks: one that does not hold it adds as written. If the sum has another unit behind
that, what is left is begun anew. Where most blocks failed, the next terms are added as written: 0, 1, 3, 7 ... 63 times
as many.

Why it is exact is what `runtime/multicore/sums_in_order.py` says. Here multiples are floats: q = (e + c) - c, where c
is 1.5 p and the sum lies in [p, 2p). As long as the |q| add up to less than p / 2 for a work-item, each e + c was
rounded to a multiple of u; what e is more than q is exact, too (Dekker's *A floating-point technique for extending the
available precision*, 1971), and shows the middle of two multiples. Sums of multiples are exact up to 2p, in any order.
Beyond that they are rounded, but never to less than 2p: what adds up to less was exact.
"""

from __future__ import annotations

from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit

#: work-items of a group and of a block, terms that each has, sums, and blocks of one
GROUP, BLOCK, TERMS = 256, 8, 8
SUMS = 4
BLOCKS = GROUP // BLOCK // SUMS
#: floats of local memory for what work-items find
ROOM = 2 * SUMS * BLOCKS * (BLOCK + 1) + 2 * SUMS * BLOCKS + SUMS

_TEXT = """\
static REAL NAME(REAL total, const REAL *given, __local REAL *terms, __local REAL *found, __local int *told, int *wait,
                 const int first, const int apart, const int sum, const int block, const int spot)
{
    const int lane = get_local_id(0), mine = sum * BLOCKS + block;
    __local REAL *const moves = found + 2 * SUMS * BLOCKS * 9, *const ways = moves + SUMS * BLOCKS;
    __local REAL *const totals = ways + SUMS * BLOCKS;
    const int written = wait[0] > 0;
    int begun = 0, failed = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        terms[first + (block * 64 + spot + k * 8) * apart] = given[k];
    for (int again = 1; again;) {
        const WORD top = as_WORD(total) & FIELDS, middle = (as_WORD(total) & ~(WHOLE - 1)) | WHOLE >> 1;
        const REAL center = as_REAL(middle), between = (as_REAL(middle + 1) - center) / 2;
        const REAL least = as_REAL(top);
        REAL moved = 0, way = 0;
        int ties = top == 0 || top == FIELDS;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const REAL multiple = (given[k] + center) - center;
            moved = moved + multiple;
            way = way + fabs(multiple);
            ties |= fabs(given[k] - multiple) == fabs(between);
        }
        const int holds = way < least / 2 && !ties;
        found[mine * 9 + spot] = holds ? moved : 0;
        found[(SUMS * BLOCKS + mine) * 9 + spot] = holds ? way : INFINITY;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 2 * SUMS * BLOCKS) {
            REAL whole = found[lane * 9];
#pragma unroll
            for (int k = 1; k < 8; k++)
                whole = whole + found[lane * 9 + k];
            moves[lane] = whole;
        }
        if (lane == 0)
            told[0] = told[1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (block == 0) {
            if (begun == 0 && !written) {
                REAL all = 0, every = 0;
#pragma unroll
                for (int k = 0; k < BLOCKS; k++) {
                    all = all + moves[sum * BLOCKS + k];
                    every = every + ways[sum * BLOCKS + k];
                }
                if (NAME_holds(total, all, every, least)) {
                    total = total + all;
                    begun = BLOCKS;
                }
            }
            for (; begun < BLOCKS && (written || (as_WORD(total) & FIELDS) == top); begun++) {
                if (!written && NAME_holds(total, moves[sum * BLOCKS + begun], ways[sum * BLOCKS + begun], least)) {
                    total = total + moves[sum * BLOCKS + begun];
                } else {
                    total = NAME_as_written(total, terms + first + begun * 64 * apart, apart);
                    failed++;
                }
            }
            totals[sum] = total;
            if (begun < BLOCKS)
                atomic_or(&told[0], 1);
            if (failed > BLOCKS / 2)
                atomic_or(&told[1], 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        total = totals[sum];
        again = told[0];
    }
    if (written) {
        wait[0]--;
    } else if (told[1]) {
        wait[0] = wait[1];
        wait[1] = min(2 * wait[1] + 1, 63);
    } else {
        wait[1] = 0;
    }
    return total;
}
"""
#: whether a sum stays between two powers of two, from the least of which it is more than 0 apart, if it takes steps
#: that add up to `moved`, and without their signs to `way`
_HOLDS = """\
static int NAME_holds(const REAL total, const REAL moved, const REAL way, const REAL least)
{
    const REAL grown = total < 0 ? -moved : moved;
    return fabs(total) + (way + grown) / 2 < 2 * least && fabs(total) - (way - grown) / 2 > least;
}
"""
_AS_WRITTEN = """\
static REAL NAME_as_written(REAL total, __local const REAL *terms, const int apart)
{
    for (int first = 0; first < 64; first += 32) {
        REAL next[32];
#pragma unroll
        for (int k = 0; k < 32; k++)
            next[k] = terms[(first + k) * apart];
#pragma unroll
        for (int k = 0; k < 32; k++)
            total = total + next[k];
    }
    return total;
}
"""
#: by the type of a sum: the integer that has its bits, one above all digits, and all ones of the exponent
_KINDS = {
    "float64": ("long", "(1L << 52)", "(2047L << 52)"),
    "float32": ("int", "(1 << 23)", "(255 << 23)"),
}


def can_be_chained(dtype: str) -> bool:
    """Whether there is such a function for sums of a type."""
    return dtype in _KINDS


def chained_sum(unit: Unit, dtype: str) -> str:
    """The name of the function, which is in the program then."""
    name, (word, whole, fields) = f"chained_sum_{dtype}", _KINDS[dtype]
    text = "\n".join((_AS_WRITTEN, _HOLDS, _TEXT)).replace("NAME", name).replace("SUMS", str(SUMS))
    text = text.replace("BLOCKS", str(BLOCKS)).replace("WORD", word).replace("WHOLE", whole)
    text = text.replace("FIELDS", fields).replace("REAL", CTYPES[dtype])
    unit.functions.setdefault(name, text)
    return name
