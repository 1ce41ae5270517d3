"""Rewrites the user's statements for the master: array elements live in `Managed` arrays, allocation is the run's.

    c = np.empty_like(a)      ->  c = run.empty(a.shape, np.float64)
    x = a[0] * len(a)         ->  x = a[index_of(0, a.shape[0], SITES[1])] * a.shape[0]
    a[i] = x                  ->  a[index_of(i, a.shape[0], SITES[2])] = x

Everything else stays as it is: it is plain Python and runs as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import libcst as cst
import numpy as np

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.frontend.raises import raising_of
from somd.transforms.library import LibraryFunction, library_function
from somd.transforms.opencl import host_tree as tree
from somd.transforms.stages import Method, RaiseSite, Site
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.walking import Transformer, nodes_of
from somd.transforms.types.functions import NUMPY, SAMPLED
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import HelperInstance, Types

#: functions that give numbers as arrays without axes
OF_NO_AXES = {("numpy", NUMPY[each]) for each in SAMPLED}
FILLED = {"empty": "empty", "empty_like": "empty", "zeros": "zeros", "zeros_like": "zeros"}


class HostCode(Transformer):
    """The transformer for one function; `helpers` grows by the helper functions that it meets."""

    def __init__(
        self,
        method: Method,
        types: Types,
        run: str,
        guarded: Mapping[cst.Subscript, tuple[Site, ...]],
        raises: Mapping[str, RaiseSite] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.method = method
        self.types = types
        self.run = run
        self.guarded = guarded
        self.raises = raises
        self.helpers: dict[str, HelperInstance] = {}
        #: the numbers of library calls
        self.libraries: Mapping[LibraryFunction, int] = {}
        #: the arrays that the master makes with a value
        self.filled = {name for node in nodes_of(method.function, cst.Assign) for name in _filled(node, types)}

    # --- names ---------------------------------------------------------------------------------------------------

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        known = original_node in self.types.nodes and original_node.value not in self.method.local_names
        if known and original_node.value not in ("True", "False"):
            return self._constant(original_node) or updated_node
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        array = self._array(original_node.value)
        if array is not None and isinstance(original_node.value, cst.Name):
            if original_node.attr.value == "ndim":
                return tree.integer(array.ndim)
            if original_node.attr.value == "size":
                return self._size(original_node.value.value, array.ndim)
            return updated_node
        return self._constant(original_node) or updated_node

    def _size(self, name: str, ndim: int) -> cst.BaseExpression:
        product: cst.BaseExpression = tree.shape(name, 0)
        for axis in range(1, ndim):
            product = cst.BinaryOperation(product, cst.Multiply(), tree.shape(name, axis))
        return product.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if ndim > 1 else product

    def _constant(self, node: cst.Name | cst.Attribute) -> cst.BaseExpression | None:
        """The literal for a captured number."""
        value = evaluate(node, self.method.namespace, self.method.local_names)
        if isinstance(value, np.generic):
            return tree.call(tree.dtype(value.dtype.name), tree.number(value.item()))
        return tree.number(value) if isinstance(value, int | float | complex) else None

    def _array(self, node: cst.BaseExpression) -> ArrayType | None:
        found = self.types.names.get(node.value) if isinstance(node, cst.Name) else None
        return found if isinstance(found, ArrayType) else None

    # --- calls ---------------------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        callee = self.types.calls.get(original_node)
        if callee is None:
            return updated_node
        if callee.kind == "builtin":
            first = original_node.args[0].value
            if callee.name == "len" and isinstance(first, cst.Name):
                return tree.shape(first.value, 0)
            return updated_node.with_changes(func=tree.brought(callee.name))
        if callee.kind == "helper" and callee.helper is not None:
            self.helpers[callee.name] = callee.helper
            return updated_node.with_changes(func=cst.Name(callee.name))
        if callee.kind in ("math", "cmath", "numpy"):
            module = "np" if callee.kind == "numpy" else callee.kind
            made = updated_node.with_changes(func=tree.attribute(tree.brought(module), callee.name))
            return tree.subscript(made, cst.Tuple([])) if (callee.kind, callee.name) in OF_NO_AXES else made
        if callee.kind == "method":
            return updated_node
        if callee.kind == "cast":
            return updated_node.with_changes(func=tree.dtype(callee.name))
        if callee.kind == "library":
            return self._library(original_node, updated_node)
        return self._allocation(original_node, updated_node, callee.name)

    def _library(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """`called(run, 0, a, k)`: the number of the call, and what it takes."""
        function = library_function(original, self.method)
        assert function is not None
        values = [argument.value for argument in updated.args]
        return tree.call(tree.brought("called"), tree.name(self.run), tree.integer(self.libraries[function]), *values)

    def _allocation(self, original: cst.Call, updated: cst.Call, kind: str) -> cst.BaseExpression:
        made = self.types.nodes[original]
        assert isinstance(made, ArrayType)
        if kind == "copy":
            base = updated.func.value if isinstance(updated.func, cst.Attribute) and not updated.args else None
            return tree.call(tree.brought("copied"), tree.name(self.run), base or updated.args[0].value)
        extent = updated.args[0].value
        if kind.endswith("_like"):
            extent = cst.Attribute(extent, cst.Name("shape"))
        if kind in FILLED:
            return tree.call(tree.attribute(self.run, FILLED[kind]), extent, tree.dtype(made.dtype))
        value = tree.integer(1) if kind.startswith("ones") else updated.args[1].value
        return tree.call(tree.attribute(self.run, "full"), extent, value, tree.dtype(made.dtype))

    # --- elements ------------------------------------------------------------------------------------------------

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        if self._array(original_node.value) is None or not isinstance(original_node.value, cst.Name):
            return updated_node
        array, sites = original_node.value.value, self.guarded.get(original_node)
        indexes = index_expressions(updated_node)
        if sites is not None:
            rows = [tree.subscript(tree.brought("SITES"), tree.integer(site.number)) for site in sites]
            parts = zip(indexes, rows, strict=True)
            indexes = [
                tree.call(tree.brought("index_of"), i, tree.shape(array, k), row) for k, (i, row) in enumerate(parts)
            ]
        return tree.subscript(tree.name(array), *indexes)

    # --- statements ----------------------------------------------------------------------------------------------

    def leave_Raise(self, original_node: cst.Raise, updated_node: cst.Raise) -> cst.Raise:
        """`raise raised(run, 3, n)`: the number of the site, and the values that the exception needs."""
        site = self.raises[raising_of(original_node, self.method)[0]]
        values = [argument.value for argument in cst.ensure_type(updated_node.exc, cst.Call).args]
        made = tree.call(tree.brought("raised"), tree.name(self.run), tree.integer(site.number), *values)
        return cst.Raise(made)

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def leave_AnnAssign(
        self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        if updated_node.value is None:
            return cst.Pass()
        return cst.Assign([cst.AssignTarget(updated_node.target)], updated_node.value)

    def expression(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression of the method, as the master evaluates it."""
        done = node.visit(self)
        assert isinstance(done, cst.BaseExpression)
        return done

    def statements(self, nodes: tuple[cst.BaseStatement, ...]) -> list[cst.BaseStatement]:
        """Statements of the method, as the master runs them."""
        found: list[cst.BaseStatement] = []
        for node in nodes:
            done = node.visit(self)
            if isinstance(done, cst.FlattenSentinel):
                found.extend(done)
            elif isinstance(done, cst.BaseStatement):
                found.append(done)
        return found


def _filled(node: cst.Assign, types: Types) -> set[str]:
    """The names that an assignment gives to an array all of whose elements have one value."""
    callee = types.calls.get(node.value) if isinstance(node.value, cst.Call) else None
    if callee is None or callee.kind not in ("allocate", "like") or callee.name.startswith("empty"):
        return set()
    return {each.target.value for each in node.targets if isinstance(each.target, cst.Name)}
