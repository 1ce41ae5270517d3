"""Names that are set many times one after another, told apart before Numba tells names apart.

In: Numba's representation of a function. Out: the same, each but the last setting of such a name in a block under a
name of its own. Numba looks for the setting that a use means by walking through the block, from its start, for each
setting: a name that is set a thousand times took a minute.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import ir_utils as _ir_utils

compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
ir_utils: Any = _ir_utils

#: settings of a name in a block that are left to Numba
FEW = 32


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class SettingsApart(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """See the head of this file."""

    _name = "somd_settings_apart"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        found = [_told_apart(block) for block in state.func_ir.blocks.values()]
        if any(found):
            state.func_ir._definitions = ir_utils.build_definitions(state.func_ir.blocks)
        return any(found)


def _told_apart(block: Any) -> bool:
    counts = Counter(statement.target.name for statement in block.find_insts(ir.Assign))
    left = {name: count for name, count in counts.items() if count > FEW}
    if not left:
        return False
    current: dict[str, Any] = {}
    for statement in block.body:
        if not isinstance(statement, ir.Assign):
            ir_utils.replace_vars_stmt(statement, current)
            continue
        statement.value = ir_utils.replace_vars_inner(statement.value, current)
        name = statement.target.name
        if name in left:
            left[name] -= 1
            current.pop(name, None)
            if left[name]:
                current[name] = statement.target = block.scope.redefine(name, statement.loc)
    return True
