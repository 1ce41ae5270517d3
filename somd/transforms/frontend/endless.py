"""Whether code may go on for ever: it has a `while` loop, be it in a helper that it calls.

Asked where iterations run for which plain Python never comes to, or that begin with values which it never has.
"""

from __future__ import annotations

import libcst as cst

from somd.errors import SomdCompileError
from somd.transforms.frontend.array_helpers import calls_in
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.read import looked_at
from somd.transforms.stages import Method
from somd.transforms.tree.walking import holds


def may_not_end(node: cst.CSTNode, method: Method) -> bool:
    """Whether `node`, a part of `method`, has a `while` loop, or calls a function that has one."""
    if holds(node, cst.While):
        return True
    for call in calls_in(node):
        function = called_function(call, method)
        if function is None:
            continue
        try:
            helper = looked_at(function)
        except SomdCompileError:  # what is refused is told where it is looked at
            return True
        if may_not_end(helper.function.body, helper):
            return True
    return False
