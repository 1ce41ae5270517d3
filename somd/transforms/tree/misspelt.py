"""Names that a module does not have, and those that may be meant.

In: an expression, and the method it stands in. Out: the names of the module that are near.
"""

from __future__ import annotations

import difflib
from types import ModuleType

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.names import MISSING, evaluate


def meant(node: cst.BaseExpression, method: Method) -> str:
    """The name that a module has in place of one that it lacks; "" where it is no module, or nothing is near."""
    if not isinstance(node, cst.Attribute) or evaluate(node, method.namespace, method.local_names) is not MISSING:
        return ""
    module = evaluate(node.value, method.namespace, method.local_names)
    if not isinstance(module, ModuleType):
        return ""
    found = difflib.get_close_matches(node.attr.value, dir(module), n=1)
    return f"{cst.Module([]).code_for_node(node.value)}.{found[0]}" if found else ""
