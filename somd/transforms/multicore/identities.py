"""Neutral elements of reductions as Python text."""

from __future__ import annotations

from somd.transforms.types.scalars import ScalarType

IDENTITY = {"+": "-0.0", "*": "1.0", "and": "True", "or": "False", "&": "-1", "|": "0", "^": "0"}
BOOLS = {"&": "np.bool_(True)", "*": "np.bool_(True)", "min": "np.bool_(True)", "and": "True", "or": "False"}


def identity(op: str, scalar: ScalarType) -> str:
    """The neutral element of `op` in the accumulator's type; -0.0 for sums, which changes no sign."""
    dtype = numpy_name(scalar.dtype)
    if scalar.kind == "b":
        return BOOLS.get(op, "np.bool_(False)")
    if op in ("min", "max"):
        if scalar.kind == "f":
            return f"np.{dtype}({'' if op == 'min' else '-'}np.inf)"
        return f"np.{dtype}(np.iinfo(np.{dtype}).{'max' if op == 'min' else 'min'})"
    if op == "&" and scalar.kind == "u":
        return f"np.{dtype}(np.iinfo(np.{dtype}).max)"
    value = IDENTITY[op]
    if scalar.kind == "c":
        return f"np.{dtype}(complex({value}, {'-0.0' if op == '+' else '0.0'}))"
    return f"np.{dtype}({value if scalar.kind == 'f' else value.removesuffix('.0').replace('-0', '0')})"


def numpy_name(dtype: str) -> str:
    return "bool_" if dtype == "bool" else dtype
