"""C functions that update an integer in any order: OpenCL's own for 32 bits, and what 64 bits are made of.

Two words of 32 bits make a sum of 64: whoever adds to the low one and finds that it wraps carries one to the high one,
so that the two are right together when all have added. Halves of bits do not touch each other.
"""

from __future__ import annotations

BUILTIN = {"+": "atomic_add", "&": "atomic_and", "|": "atomic_or", "^": "atomic_xor", "min": "atomic_min"}
BUILTIN["max"] = "atomic_max"
_WORDS = {"+": "add", "&": "and", "|": "or", "^": "xor"}
_CARRIES = """    const uint low = (uint)value, before = atomic_add(pair, low);
    const uint high = (uint)(value >> 32) + ((uint)(before + low) < before);
    if (high != 0)
        atomic_add(pair + 1, high);"""
_HALVES = """    if ((uint)value != @N)
        atomic_@W(pair, (uint)value);
    if ((uint)(value >> 32) != @N)
        atomic_@W(pair + 1, (uint)(value >> 32));"""
_NATIVE = """#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    atom_add((volatile __global ulong *)pair, value);
#else
@B
#endif"""


def pair_name(op: str, space: str) -> str:
    """The function that updates 64 bits in `space`, `local` or `global`."""
    return f"atomic_{_WORDS[op]}_pair_{space}"


def pair_text(op: str, space: str) -> str:
    """Its definition: `pair` points to the low word, whose neighbour is the high one."""
    body = (
        _CARRIES if op == "+" else _HALVES.replace("@W", _WORDS[op]).replace("@N", "0xffffffffu" if op == "&" else "0")
    )
    if op == "+" and space == "global":
        body = _NATIVE.replace("@B", body)
    return f"static void {pair_name(op, space)}(volatile __{space} uint *pair, ulong value)\n{{\n{body}\n}}"
