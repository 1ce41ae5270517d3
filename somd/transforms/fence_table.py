"""The table in a generated module that tells the runtime what its master calls, at fences and of libraries."""

from __future__ import annotations

from somd.transforms.library import library_numbers
from somd.transforms.stages import Plan, joined_names
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types


def fences_text(plan: Plan, types: Types) -> str:
    """The table of the functions that fences call: (name in the method, dtype, whether it is a Python number), and of
    library calls, which `language/library.py` says. "" where nothing is called."""
    rows = []
    for fence, name in joined_names(plan):
        scalar = types.names[name]
        assert isinstance(scalar, ScalarType)
        rows.append(f"({fence.text!r}, {scalar.dtype!r}, {scalar.weak}), ")
    rows += [f"{each.row!r}, " for each in library_numbers(plan)]
    return f"({''.join(rows).rstrip()})" if rows else ""
