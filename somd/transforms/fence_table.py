"""The table in a generated module that tells the runtime which functions its fences call."""

from __future__ import annotations

from somd.transforms.stages import Plan, joined_names
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types


def fences_text(plan: Plan, types: Types) -> str:
    """The table of the functions that fences call: (name in the method, dtype, whether it is a Python number)."""
    rows = []
    for fence, name in joined_names(plan):
        scalar = types.names[name]
        assert isinstance(scalar, ScalarType)
        rows.append(f"({fence.text!r}, {scalar.dtype!r}, {scalar.weak}), ")
    return f"({''.join(rows).rstrip()})"
