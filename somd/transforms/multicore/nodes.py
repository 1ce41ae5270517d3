"""libcst's nodes that builders of slaves put together."""

from __future__ import annotations

import libcst as cst

from somd.transforms.emit.python_text import numpy_name


def converted(node: cst.BaseExpression, dtype: str) -> cst.Call:
    """`np.dtype(node)`"""
    return cst.Call(cst.parse_expression(f"np.{numpy_name(dtype)}"), [cst.Arg(node)])


def indented(text: str) -> str:
    """The lines of a text, each a level deeper."""
    return "".join(f"    {line}\n" for line in text.splitlines())
