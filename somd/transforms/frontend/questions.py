"""Branches on what a target answers: how a loop is run best is known where it is compiled, or when it is called.

    if in_strips():
        ...                 what is read twice, strip by strip
    else:
        ...                 the same, pass by pass

The questions are functions of `somd.language.scanning`; either branch gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from somd.transforms.tree.names import name_for
from somd.transforms.tree.rewriting import parsed


def choice(
    asked: Callable[[], bool],
    yes: Sequence[cst.BaseStatement],
    no: Sequence[cst.BaseStatement],
    namespace: dict[str, object],
    taken: set[str],
) -> cst.If:
    """A branch on what a target answers; the question has a name of `namespace`, or one that is not `taken`."""
    [made] = parsed(f"if {name_for(asked, asked.__name__, namespace, taken)}():\n    pass\nelse:\n    pass\n")
    orelse = cst.Else(cst.IndentedBlock(no))
    return cst.ensure_type(made, cst.If).with_changes(body=cst.IndentedBlock(yes), orelse=orelse)
