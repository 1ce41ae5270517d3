"""Types of calls: of functions of Python and NumPy, of helpers, of methods.

Which function each call means is entered in `Types.calls`.
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import libcst as cst
import numpy as np

from somd.capture.objects import is_known
from somd.language.array_functions import array_function, array_method
from somd.language.library import METHODS as OF_LIBRARY
from somd.language.library import Kind, library_name
from somd.language.scanning import alone, blocks_at_once, in_strips
from somd.transforms.analysis.parts import is_none
from somd.transforms.frontend.nested import Nested
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.unknown_calls import unknown_call
from somd.transforms.library import LibraryFunction
from somd.transforms.tree.names import MISSING, called, evaluate
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types import functions
from somd.transforms.types.literals import PathDependent, result_of
from somd.transforms.types.reducing import METHODS, PRODUCTS, REDUCTIONS
from somd.transforms.types.scalars import BOOL, FLOAT, INT, ArrayType, NotTyped, ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Callee

if TYPE_CHECKING:
    from somd.transforms.types.expressions import Expressions

#: places behind the point to which integers may be rounded, which changes nothing
MOST_PLACES = 400


class Calls:
    """Types the calls among `expressions`."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.method, self.types = expressions.method, expressions.types
        self.report, self.any, self.scalar = expressions.report, expressions.any, expressions.scalar

    def call(self, node: cst.Call) -> Type | None:
        function = called(node, self.method.namespace, self.method.local_names)
        arguments = [a.value for a in node.args]
        if function in (alone, in_strips):
            self.types.calls[node] = Callee("builtin", function.__name__)
            return BOOL
        if function is blocks_at_once:
            self.types.calls[node] = Callee("builtin", blocks_at_once.__name__)
            return INT
        if isinstance(node.func, cst.Attribute) and (function is MISSING or self._of_number(node.func)):
            return self._method(node, node.func)
        for table, kind in ((functions.ALLOCATE, "allocate"), (functions.ALLOCATE_LIKE, "like")):
            name = functions.known(function, table)
            if name is not None:
                self.types.calls[node] = Callee(kind, name)
                return self._allocation(node, kind, name)
        if isinstance(function, Reached | Nested) or (
            isinstance(function, FunctionType) and not is_known(function.__module__)
        ):
            return self._helper(function, arguments, node)
        reducing = functions.known(function, REDUCTIONS)
        if reducing is not None and node.args and node.args[0].keyword is None:
            return self.expressions.reductions.reduction(node, reducing, arguments[0], list(node.args[1:]))
        product = functions.known(function, PRODUCTS)
        if product is not None and len(arguments) == 2:
            self.types.calls[node] = Callee("product", product)
            sides = self.any(arguments[0]), self.any(arguments[1])
            return self.expressions.reductions.product(node, *sides, function)
        of_arrays = array_function(np.nonzero if function is np.where and len(node.args) == 1 else function)
        if of_arrays is not None:
            return self.expressions.array_functions.call(node, of_arrays, None)
        if (isinstance(function, np.ufunc) and function in functions.NUMPY) or function is np.clip:
            count = function.nin if isinstance(function, np.ufunc) else 3
            if len(node.args) == count + 1 or any(a.keyword is not None for a in node.args):
                return self.expressions.array_functions.into(node, function.__name__, count)
            if function is np.clip and any(is_none(each, self.method) for each in arguments):
                text, one = "a limit of `np.clip` beside None is a constant here", "np.minimum(x, high)"
                ways = f"write `np.maximum(x, low)`, or `{one}`, for integers that the type of `x` holds"
                self.report("SOMD203", text, node, ways)
                return None
        library = "where" if function is np.where and len(arguments) == 1 else library_name(function)
        if library is not None and (library == "where" or function not in functions.NUMPY):
            return self.expressions.library_calls.call(node, library)
        if isinstance(function, LibraryFunction):
            return self._library(node, function, arguments)
        if any(a.keyword is not None for a in node.args) and functions.is_function(function):
            self.report("SOMD203", "keyword arguments are not supported here", node, "give the arguments in order")
            return None
        if number_of_text(node, self.method) is not None:
            self.types.calls[node] = Callee("builtin", "float")
            return FLOAT
        name = functions.known(function, functions.BUILTIN)
        if name is not None:
            self.types.calls[node] = Callee("builtin", name)
            return self._builtin(name, function, arguments, node)
        tables = (functions.CASTS, functions.MATH, functions.CMATH, functions.NUMPY)
        for table, kind in zip(tables, ("cast", "math", "cmath", "numpy"), strict=True):
            name = functions.known(function, table)
            if name is not None:
                self.types.calls[node] = Callee(kind, name)
                any_found = [self.any(a) for a in arguments]
                if not self._counted(functions.counts_of(function, kind, name), node):
                    return None
                if kind in ("numpy", "cast") and any(isinstance(each, ArrayType) for each in any_found):
                    sampled = functions.SAMPLED.get(cast(Any, function), cast(Any, function))
                    return self.expressions.whole(sampled, any_found, arguments, node)
                found = [self.expressions.as_scalar(f, a) for f, a in zip(any_found, arguments, strict=True)]
                if kind == "math" and self._is_whole(name, found):
                    self.types.calls[node] = Callee("builtin", "int")
                if kind == "numpy" and name not in functions.OF_COMPLEX and any(f and f.kind == "c" for f in found):
                    helps = "compute it from `z.real` and `z.imag`"
                    self.report("SOMD203", f"`np.{name}` of a complex number is not supported", node, helps)
                    return None
                if kind == "numpy" and name in functions.OPERATORS:
                    return self._operator(name, functions.OPERATORS[name], found, arguments, node)
                if kind == "numpy" and name == "power" and all(f is not None and f.kind in "iu" for f in found):
                    return self._operator(name, cst.Power, found, arguments, node)
                if name in ("round", "around") and not self._places(arguments, found, node):
                    return None
                if kind == "cast" and len(found) == 2 and not self._real_parts(found, node):
                    return None
                if kind == "cast" and len(found) == 1 and not self._held(name, arguments[0], node):
                    return None
                return self._applied(functions.SAMPLED.get(cast(Any, function), function), found, node)
        text = cst.Module([]).code_for_node(node.func)
        if function is MISSING:
            self.report("SOMD204", f"`{text}` is not defined", node, "define it before the method")
        else:
            self._unknown(function, node)
        return None

    def _library(self, node: cst.Call, function: LibraryFunction, arguments: list[cst.BaseExpression]) -> Type | None:
        """The type of a library call as it is lowered: its arguments have names."""
        known = [self.any(argument) for argument in arguments]
        self.types.calls[node] = Callee("library", function.text)
        if None in known:
            return None
        results = tuple(_of_kind(kind) for kind in function.results)
        return TupleType(results) if function.several else results[0]

    def _counted(self, counts: tuple[int, ...], node: cst.Call) -> bool:
        """Whether a function is called with so many numbers as it takes; what is not is reported."""
        if len(node.args) in counts:
            return True
        numbers = {(1,): "one number", (1, 2): "one number or two"}.get(counts, f"{counts[0]} numbers")
        text = cst.Module([]).code_for_node(node.func)
        self.report("SOMD203", f"`{text}` takes {numbers} here", node, "leave the others out, or call it several times")
        return False

    def _is_whole(self, name: str, found: list[ScalarType | None]) -> bool:
        """Whether `floor`, `ceil` or `trunc` give the integer that they take; the first two make floats of NumPy's."""
        only = found[0]
        return (
            only is not None and only.kind in "bui" and (name == "trunc" or (only.weak and name in ("floor", "ceil")))
        )

    def _applied(self, function: object, found: list[ScalarType | None], node: cst.CSTNode) -> ScalarType | None:
        if None in found:
            return None
        known = [f for f in found if f is not None]
        values = [self.expressions.literal(a.value) for a in node.args] if isinstance(node, cst.Call) else []
        try:
            return result_of(function, known, values if len(values) == len(known) else [None] * len(known))  # type: ignore[arg-type]
        except PathDependent as path:
            self.expressions.path_dependent(path, node)
            return None
        except NotTyped as error:
            of_complex = any(f is not None and f.kind == "c" for f in found)
            helps = "take `z.real` or `abs(z)`" if of_complex else "convert the arguments"
            if "float16" in str(error):
                helps = "NumPy computes this in half precision: convert first, `np.float32(x)`"
            self.report("SOMD402", f"this call has no result: {error}", node, helps)
            return None

    def _operator(
        self,
        name: str,
        kind: type[cst.BaseBinaryOp],
        found: list[ScalarType | None],
        arguments: list[cst.BaseExpression],
        node: cst.Call,
    ) -> ScalarType | None:
        """`np.add(x, y)` and its like, which of two Python numbers make a NumPy scalar."""
        if len(found) != 2 or found[0] is None or found[1] is None:
            if None not in found:
                self.report("SOMD203", f"`np.{name}` takes two numbers here", node, "leave the other arguments out")
            return None
        left, right = found[0], found[1]
        if left.weak and right.weak:
            left, right = ScalarType(left.dtype), ScalarType(right.dtype)
        return self.expressions.binary(kind, left, right, (arguments[0], arguments[1]), node)

    def _is_shape(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is `a.shape` for an array that has a name."""
        named = isinstance(node, cst.Attribute) and node.attr.value == "shape" and isinstance(node.value, cst.Name)
        return named and isinstance(self.any(node), TupleType)

    def _as_operators(self, name: str, arguments: list[cst.BaseExpression], node: cst.Call) -> Type | None:
        """`pow(x, y)` and `divmod(x, y)`"""
        left, right = self.scalar(arguments[0]), self.scalar(arguments[1])
        if left is None or right is None:
            return None
        operands = arguments[0], arguments[1]
        if name == "pow":
            return self.expressions.binary(cst.Power, left, right, operands, node)
        parts = [self.expressions.binary(kind, left, right, operands, node) for kind in (cst.FloorDivide, cst.Modulo)]
        return TupleType(tuple(part for part in parts if part is not None)) if None not in parts else None

    def _places(self, arguments: list[cst.BaseExpression], found: list[ScalarType | None], node: cst.Call) -> bool:
        """Whether a number is rounded to so many places as can be done here."""
        if len(found) == 1:
            return True
        first, places = found[0], functions.places_of(arguments)
        if first is None:
            return False
        message = ""
        least, most = (-22, 22) if first.kind == "f" else (-18, MOST_PLACES)
        if places is None or not least <= places <= most:
            message = f"the places to round a `{first}` to are written as a number from {least} to {most}"
        elif first.kind == "c":
            message = f"a `{first}` is not rounded to places here"
        if message:
            helps = "round `z.real` and `z.imag`" if first.kind == "c" else "write the number of places into the call"
            self.report("SOMD203", message, node, helps)
        return not message

    def _held(self, dtype: str, argument: cst.BaseExpression, node: cst.Call) -> bool:
        """Whether a type of NumPy's integers holds an int that is written out: it raises else."""
        value = self.expressions.literal(argument)
        if type(value) is not int or dtype not in np.sctypeDict or np.dtype(dtype).kind not in "iu":
            return True
        limits = np.iinfo(dtype)
        if limits.min <= value <= limits.max:
            return True
        helps = f"give a number from {limits.min} to {limits.max}, or one of NumPy's, which wraps: `np.int64(...)`"
        self.report("SOMD402", f"`{value}` is out of bounds for `{dtype}`: NumPy raises OverflowError", node, helps)
        return False

    def _real_parts(self, found: list[ScalarType | None], node: cst.Call) -> bool:
        """Whether the parts that a complex number is made of are real; what is not is reported."""
        if any(part is not None and part.kind == "c" for part in found):
            message = "a complex number is made of two real ones here"
            self.report("SOMD402", message, node, "write `x + 1j * y`, or take `x.real`")
            return False
        return True

    def _builtin(self, name: str, function: object, arguments: list[cst.BaseExpression], node: cst.Call) -> Type | None:
        if name == "len":
            if len(arguments) == 1 and isinstance(self.any(arguments[0]), ArrayType | TupleType):
                return INT
            return None
        if name in ("min", "max") and len(arguments) > 1:
            found = self.expressions.one_of(arguments, node)
            if found is not None and found.kind == "c":
                self.report("SOMD402", "complex numbers have no order", node, "compare `abs(z)`, `z.real` or `z.imag`")
                return None
            return found
        if name in ("min", "max") and len(arguments) == 1 and self._is_shape(arguments[0]):
            self.types.whole = True
            return INT
        if name in ("pow", "divmod") and len(arguments) == 2:
            return self._as_operators(name, arguments, node)
        if name == "round" and len(arguments) == 2:
            given = [self.scalar(a) for a in arguments]
            return self._applied(function, given, node) if self._places(arguments, given, node) else None
        if name == "complex" and len(arguments) == 2:
            given = [self.scalar(a) for a in arguments]
            return self._applied(function, given, node) if self._real_parts(given, node) else None
        if len(arguments) != 1:
            self.report("SOMD203", f"`{name}` with {len(arguments)} arguments is not supported", node, "give it one")
            return None
        only = self.any(arguments[0])
        if name == "abs" and isinstance(only, ArrayType):
            return self.expressions.whole(abs, [only], arguments, node)
        return self._applied(function, [self.expressions.as_scalar(only, arguments[0])], node)

    def _helper(self, function: Function, arguments: list[cst.BaseExpression], node: cst.Call) -> Type | None:
        found = [self.any(a) for a in arguments]
        given: list[Type] = []
        for each, argument in zip(found, arguments, strict=True):
            if each is None:
                return None
            if isinstance(each, ArrayType):
                self.types.of_arrays.add(function)
                return None
            if not isinstance(each, ScalarType):
                self.report("SOMD203", "a helper function takes numbers and arrays", argument, "name the entries")
                return None
            given.append(each)
        instance = self.expressions.helper(function, tuple(given), node)
        if instance is None:
            return None
        self.types.calls[node] = Callee("helper", instance.name, instance)
        return instance.types.result

    def _of_number(self, node: cst.Attribute) -> bool:
        """Whether an attribute that is called belongs to a captured number."""
        base = evaluate(node.value, self.method.namespace, self.method.local_names)
        return isinstance(base, int | float | complex | np.generic)

    def _method(self, node: cst.Call, function: cst.Attribute) -> Type | None:
        """`z.conjugate()` of numbers, `a.copy()` of arrays."""
        name = function.attr.value
        module = evaluate(function.value, self.method.namespace, self.method.local_names)
        base = self.any(function.value) if module is MISSING or self._of_number(function) else None
        if isinstance(base, ScalarType) and name in functions.METHODS and not node.args:
            self.types.calls[node] = Callee("method", name)
            return self._applied(operator.methodcaller(name), [base], node)
        if isinstance(base, ArrayType) and name in METHODS:
            return self.expressions.reductions.reduction(node, name, function.value, list(node.args))
        if isinstance(base, ArrayType) and name == "dot" and len(node.args) == 1:
            self.types.calls[node] = Callee("product", "dot")
            return self.expressions.reductions.product(node, base, self.any(node.args[0].value), np.dot)
        of_arrays = array_method(name)
        if isinstance(base, ArrayType) and of_arrays is not None:
            return self.expressions.array_functions.call(node, of_arrays, function.value)
        if isinstance(base, ArrayType) and name in OF_LIBRARY:
            return self.expressions.library_calls.call(node, name, function.value)
        if isinstance(base, ArrayType) and name == "copy" and not node.args:
            self.types.calls[node] = Callee("copy", "copy")
            return base
        if isinstance(base, ArrayType) and name == "astype":
            return self._converted(node, base)
        if isinstance(base, ArrayType) and name in functions.METHODS and not node.args:
            self.types.calls[node] = Callee("method", name)
            return self.expressions.whole(operator.methodcaller(name), [base], [function.value], node)
        if base is None and any(map(self._refused_before, nodes_of(function.value, cst.Name))):
            return None
        self._unknown(MISSING, node)
        return None

    def _converted(self, node: cst.Call, base: ArrayType) -> Type | None:
        """`a.astype(np.float32)`, also with `copy=`: where that is False, an array of the type may stand for itself."""
        given = {"dtype" if each.keyword is None else each.keyword.value: each.value for each in node.args}
        copy = evaluate(given.pop("copy", cst.Name("True")), self.method.namespace, self.method.local_names)
        if {*given} != {"dtype"} or len(node.args) > 2 or node.args[0].star or not isinstance(copy, bool):
            message = "`astype` takes a type here, and whether to `copy`"
            self.report("SOMD203", message, node, "leave other arguments out; `copy` is True or False")
            return None
        dtype = self.dtype(given["dtype"])
        self.types.calls[node] = Callee("astype", dtype or "")
        self.types.whole = True
        return None if dtype is None else ArrayType(dtype, base.ndim)

    def _refused_before(self, node: cst.Name) -> bool:
        """Whether a name has no type because what it is bound to has been reported."""
        local = node.value in self.method.local_names and node.value not in self.types.names
        return local and bool(self.expressions.collector.diagnostics)

    def _unknown(self, function: object, node: cst.Call) -> None:
        message, helps = unknown_call(function, node, self.method)
        self.report("SOMD203", message, node, *helps)

    def _allocation(self, node: cst.Call, kind: str, name: str) -> Type | None:
        values = [a.value for a in node.args if a.keyword is None]
        keywords = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
        fill = name in ("full", "full_like")
        dtype_node = values[1 + fill] if len(values) > 1 + fill else keywords.pop("dtype", None)  # not both
        if not values or keywords or len(values) > 2 + fill:
            self.report("SOMD203", f"`{name}` takes a shape and a dtype here", node, "leave the other arguments out")
            return None
        first = self.any(values[0])
        filler = self.scalar(values[1]) if fill and len(values) > 1 else None
        if first is None or (fill and filler is None):
            return None
        if kind == "like":
            if not isinstance(first, ArrayType):
                self.report("SOMD402", f"`{name}` needs an array", node, "pass an array")
                return None
            dtype = first.dtype if dtype_node is None else self.dtype(dtype_node)
            return None if dtype is None else ArrayType(dtype, first.ndim)
        ndim = len(first.elements) if isinstance(first, TupleType) else 1
        default = "float64"
        if filler is not None:
            default = filler.dtype
        dtype = default if dtype_node is None else self.dtype(dtype_node)
        return None if dtype is None else ArrayType(dtype, ndim)

    def dtype(self, node: cst.BaseExpression) -> str | None:
        if (
            isinstance(node, cst.Attribute)
            and node.attr.value == "dtype"
            and isinstance(node.value, cst.Name)
            and isinstance(array := self.types.names.get(node.value.value), ArrayType)
        ):
            return array.dtype
        value = evaluate(node, self.method.namespace, self.method.local_names)
        try:
            found = np.dtype(cast(Any, value)) if value is not MISSING else None
            name = found.name if found is not None and found.isnative else ""
        except TypeError:
            name = ""
        if value is MISSING or name not in set(functions.CASTS.values()):
            self.report(
                "SOMD402", "this dtype is not supported", node, "use a bool, integer, float or complex dtype of NumPy"
            )
            return None
        return str(name)


def _of_kind(kind: Kind) -> ScalarType | ArrayType:
    dtype, rank, weak = kind
    return ArrayType(dtype, rank) if rank else ScalarType(dtype, weak)
