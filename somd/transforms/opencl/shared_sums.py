"""The C function by which a group of work-items adds up terms of one sum in their order, to the bit.

What it does is what `runtime/multicore/sums_in_order.py` says, for 8 blocks of 256 terms at once: 32 work-items have a
block each, and each of them adds up 8 terms as multiples of the unit of the sum. If all hold, one behind the other,
that is it. If not, all work-items take one block after the other. The first that does not hold is added as written; if
the sum has another unit behind that, what is left is begun anew.
"""

from __future__ import annotations

import numpy as np

from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit

#: work-items of the group, terms of a call, and work-items of a block
GROUP, TERMS, BLOCK = 256, 2048, 32
#: words of local memory for the two numbers that work-items have found, and blocks
ROOM = 2 * (GROUP + 2 * (GROUP // BLOCK))
#: bytes in all banks of local memory
BANKS = 128
#: by the type of a sum: the integer that has its bits, digits behind the point, all ones of the exponent
_KINDS = {"float64": ("long", 52, 2047), "float32": ("int", 23, 255)}

_TEXT = """\
static REAL NAME(REAL total, __local const REAL *terms, const int minus, __local WORD *found, const int lane)
{
    const int slot = lane / 32 * 256 + lane % 32, mine = slot + (slot >> ROW);
    int block = 0;
    while (block < 8) {
        const WORD top = as_WORD(total) >> DIGITS;
        const WORD middle = (as_WORD(total) & ~(WHOLE - 1)) | WHOLE >> 1;
        const REAL center = as_REAL(middle), odd = as_REAL(middle + 1);
        WORD moved = 0, way = 0, every = 0, ties = (top & FIELDS) == 0 || (top & FIELDS) == FIELDS;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const REAL given = terms[mine + k * (32 + (32 >> ROW))];
            const REAL term = minus ? -given : given;
            const WORD near = as_WORD(term + center);
            const WORD multiple = (WORD)((UWORD)near - (UWORD)middle);
            const WORD size = (WORD)abs(multiple);
            moved = (WORD)((UWORD)moved + (UWORD)multiple);
            way = (WORD)((UWORD)way + (UWORD)size);
            every |= size;
            ties |= as_WORD(term + odd) ^ (WORD)((UWORD)near + 1);
        }
        const int holds = every >= 0 && every < WHOLE >> 1 && ties == 0;
        found[lane + lane / 32] = holds ? moved : 0;
        found[264 + lane + lane / 32] = holds ? way : 2 * WHOLE;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 16) {
            const int first = lane / 8 * 264 + lane % 8 * 33;
            WORD sum = 0, other = 0;
#pragma unroll
            for (int k = 0; k < 16; k++) {
                sum += found[first + k];
                other += found[first + k + 16];
            }
            found[528 + lane] = sum + other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        long reached = 0, lowest = 0, highest = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const long by = found[528 + k], up = (found[536 + k] + by) >> 1;
            lowest = min(lowest, reached - up + by);
            highest = max(highest, reached + up);
            reached += by;
        }
        const long begun = as_WORD(total) & (WHOLE - 1);
        if (block == 0 && begun + lowest > 0 && begun + highest < WHOLE) {
            total = as_REAL(as_WORD(total) + (WORD)reached);
            block = 8;
        }
        for (; block < 8 && as_WORD(total) >> DIGITS == top; block++) {
            const WORD by = found[528 + block], up = (found[536 + block] + by) >> 1;
            const WORD place = as_WORD(total) & (WHOLE - 1);
            if (place - up + by > 0 && place + up < WHOLE) {
                total = as_REAL(as_WORD(total) + by);
            } else {
#ifdef AHEAD
#pragma unroll 16
#endif
#pragma clang loop vectorize(disable) interleave(disable)
                for (int k = block * 256; k < block * 256 + 256; k++)
                    total = total + (minus ? -terms[k + (k >> ROW)] : terms[k + (k >> ROW)]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return total;
}
"""


def bank_row(dtype: str) -> int:
    """The binary logarithm of how many elements fill the banks of local memory once. `k + (k >> bank_row)` is where
    term `k` lies."""
    return (BANKS // np.dtype(dtype).itemsize).bit_length() - 1


def can_be_shared(dtype: str) -> bool:
    """Whether there is such a function for sums of a type."""
    return dtype in _KINDS


def word_of(dtype: str) -> str:
    """The C type of the words that it has room for."""
    return _KINDS[dtype][0]


def shared_sum(unit: Unit, dtype: str) -> str:
    """The name of the function, which is in the program then."""
    name = f"shared_sum_{dtype}"
    word, digits, fields = _KINDS[dtype]
    one = "1L" if word == "long" else "1"
    text = _TEXT.replace("NAME", name).replace("UWORD", f"u{word}").replace("WORD", word)
    text = text.replace("REAL", CTYPES[dtype]).replace("WHOLE", f"({one} << {digits})")
    text = text.replace("DIGITS", str(digits)).replace("FIELDS", str(fields))
    unit.functions.setdefault(name, text.replace("ROW", str(bank_row(dtype))))
    return name
