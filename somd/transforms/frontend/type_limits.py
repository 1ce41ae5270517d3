"""What NumPy says of a type of numbers, as a number.

    np.finfo(np.float32).eps            ->   number_eps
    image / np.iinfo(image.dtype).max   ->   image / number_max     if the type of `image` is known

In: a `Method`, and the types of parameters, as far as they are known. Out: the `Method` with such numbers. Where a name
is set anew, and for types of which NumPy says nothing, the call stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from somd.transforms.stages import Method
from somd.transforms.tree.names import MISSING, assigned_names, evaluate, name_for
from somd.transforms.tree.rewriting import MethodRewriter, code_of


def with_type_limits(method: Method, dtypes: Mapping[str, str]) -> Method:
    """`method` with numbers for `np.finfo(np.float32).eps` and its like; `dtypes` are those of parameters."""
    rewriter = _Limits(method, dtypes)
    made = rewriter.rewritten()
    return made if made is method else replace(made, namespace=rewriter.namespace)


class _Limits(MethodRewriter):
    def __init__(self, method: Method, dtypes: Mapping[str, str]) -> None:
        super().__init__(method)
        self.namespace: dict[str, object] = dict(method.namespace)
        stored = assigned_names(method.function.body)
        self.dtypes = {name: np.dtype(dtype) for name, dtype in dtypes.items() if name not in stored}

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        called = updated_node.value
        if not isinstance(called, cst.Call) or len(called.args) != 1 or called.args[0].keyword is not None:
            return updated_node
        function: Any = evaluate(called.func, self.method.namespace, self.method.local_names)
        dtype = self._dtype(called.args[0].value)
        kinds = "fc" if function is np.finfo else "iu" if function is np.iinfo else ""
        if dtype is None or dtype.kind not in kinds or called.args[0].star:
            return updated_node
        value = getattr(function(dtype), updated_node.attr.value, None)
        if type(value) is not int and not isinstance(value, np.floating):
            return updated_node
        name = name_for(value, f"number_{updated_node.attr.value}", self.namespace, self.method.local_names)
        self.spelled[name] = code_of(original_node)
        made = cst.Name(name)
        self.place(made, self.positions[original_node])
        return made

    def _dtype(self, node: cst.BaseExpression) -> np.dtype[Any] | None:
        """The type that an expression stands for, `np.float32` or `x.dtype`."""
        found = evaluate(node, self.method.namespace, self.method.local_names)
        if isinstance(found, np.dtype) or (isinstance(found, type) and issubclass(found, np.generic | int | float)):
            return np.dtype(found)
        if found is not MISSING or not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name):
            return None
        return self.dtypes.get(node.value.value) if node.attr.value == "dtype" else None
