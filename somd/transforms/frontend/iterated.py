"""Names for the arrays that loops go through, where these are parts of arrays or results of calls.

    for v in a[1:]: ...                        ->   v__values = a[1:]; for v in v__values: ...
    for v, w in zip(a[:-1], np.diff(b)): ...   ->   v__values = a[:-1]; w__values = np.diff(b); ...
    for k in np.flatnonzero(m): ...            ->   k__values = np.flatnonzero(m); ...

In: a `Method`. Out: the `Method` with such loops over names: Python makes the array once, before the first turn.
"""

from __future__ import annotations

import libcst as cst
import numpy as np

from somd.language.array_functions import array_function
from somd.language.library import library_name
from somd.transforms.stages import Method
from somd.transforms.tree.names import MISSING, called, evaluate
from somd.transforms.tree.rewriting import MethodRewriter, code_of

#: methods of arrays that give arrays
_GIVING = ("ravel", "flatten", "copy", "astype", "reshape", "transpose", "cumsum")
_MAKING = (np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like)
#: functions that go through what they are given
_THROUGH = ("enumerate", "zip", "reversed")


def named_iterated(method: Method) -> Method:
    """`method` with names for arrays that loops go through."""
    return _Named(method).rewritten()


class _Named(MethodRewriter):
    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.For | cst.FlattenSentinel[cst.BaseStatement]:
        lines: list[cst.BaseStatement] = []
        made = self._named(updated_node.iter, original_node, lines)
        if not lines:
            return updated_node
        loop = updated_node.with_changes(iter=made)
        self.positions[loop] = self.positions[original_node]
        return cst.FlattenSentinel([*lines, loop])

    def _named(self, node: cst.BaseExpression, loop: cst.For, lines: list[cst.BaseStatement]) -> cst.BaseExpression:
        if self._is_array(node):
            own = self.new("values__of", code_of(node))
            line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(own))], node)])
            self.place(line, self.positions[loop.iter])
            lines.append(line)
            made: cst.BaseExpression = cst.Name(own)
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _THROUGH:
            if node.func.value in self.method.local_names or any(each.star for each in node.args):
                return node
            args = [each.with_changes(value=self._named(each.value, loop, lines)) for each in node.args]
            made = node.with_changes(args=args)
        else:
            return node
        self.place(made, self.positions[loop.iter])
        return made

    def _is_array(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a part of an array that has a name, or a call that gives an array."""
        method = self.method
        if isinstance(node, cst.Subscript):
            parts = any(isinstance(each.slice, cst.Slice) for each in node.slice)
            return (parts and self._is_name(node.value)) or (not parts and self._is_array(node.value))
        if isinstance(node, cst.Attribute):
            return node.attr.value == "T" and self._is_name(node.value)
        if not isinstance(node, cst.Call):
            return False
        function = called(node, method.namespace, method.local_names)
        if function is not MISSING and function is not None:
            whole = array_function(function) is not None or library_name(function) is not None
            return whole or any(function is each for each in _MAKING)
        given = isinstance(node.func, cst.Attribute) and node.func.attr.value in _GIVING
        return given and isinstance(node.func, cst.Attribute) and self._is_name(node.func.value)

    def _is_name(self, node: cst.BaseExpression) -> bool:
        """Whether a node is the name of an array, for all that is known."""
        if not isinstance(node, cst.Name) or node.value in self.method.kinds:
            return False
        found = evaluate(node, self.method.namespace, self.method.local_names)
        return node.value in self.method.local_names or found is MISSING
