"""Python ints beside arrays of narrower integers: tests that NumPy makes of them, before the statement.

    c = a * k   ->   if k < 0 or k > 255: raise OverflowError(f"Python integer {k} out of bounds for uint8")
                     c = ...

In: an operation on arrays, or a store, whose types are known. Out: the tests in `Expressions.before`. Ints that are
written out `types` has looked at. Comparisons have no such test, in NumPy and here: they compare the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.fitting_conditions import TRUE_QUOTIENT, Misfits, is_literal
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.arguments import Arguments
    from somd.transforms.arrays.expressions import Expressions


def test_operands(expressions: Expressions, node: cst.CSTNode, operands: Sequence[cst.BaseExpression]) -> None:
    """The tests of an operator, or of a function of numbers, on such operands."""
    kinds = [expressions.type_of(each) for each in operands]
    arrays = {kind.dtype for kind in kinds if isinstance(kind, ArrayType)}
    if len(arrays) != 1 or isinstance(getattr(node, "operator", None), TRUE_QUOTIENT):
        return
    [dtype] = arrays
    given = expressions.types.nodes.get(node)
    if isinstance(given, ArrayType) and given.dtype != dtype:
        return  # a comparison, or a function of floats
    for each in operands:
        test_fits(expressions, each, dtype)


def test_call(expressions: Expressions, node: cst.Call, name: str) -> None:
    """The tests of a function of numbers; of `np.clip`, which takes limits beyond a type that limit nothing."""
    given = [argument.value for argument in node.args]
    kind, made = expressions.type_of(given[0]), expressions.type_of(node)
    if name == "clip" and len(given) == 3 and isinstance(kind, ArrayType) and kind == made:
        test_fits(expressions, given[1], kind.dtype, below=False)
        test_fits(expressions, given[2], kind.dtype, above=False)
    elif isinstance(getattr(np, name, None), np.ufunc):
        test_operands(expressions, node, given)


def test_fits(
    expressions: Expressions, node: cst.BaseExpression, dtype: str, below: bool = True, above: bool = True
) -> None:
    """The test of one number, that is no array, for integers of a type: whether it is below them, or above."""
    kind = expressions.type_of(node)
    if not isinstance(kind, ScalarType) or not kind.weak or kind.kind != "i" or is_literal(node):
        return
    if np.dtype(dtype).kind not in "iu" or dtype == "int64":
        return
    number = code_of(expressions.scalar(node).element(()))
    limits: Any = np.iinfo(dtype)
    tests = [f"{number} < {limits.min}"] if below else []
    tests += [f"{number} > {limits.max}"] if above and dtype != "uint64" else []
    if tests:
        message = f'OverflowError(f"Python integer {{{number}}} out of bounds for {dtype}")'
        Emitting(expressions, node).raising(" or ".join(tests), message, number)
        expressions.shapes.tests.add(expressions.before[-1])


def test_stored(expressions: Expressions, node: cst.BaseExpression, dtype: str, slices: bool) -> None:
    """The test of one number that is stored into a part of an array. Of NumPy's own numbers only those are tested that
    go where slices tell: where a mask or indexes tell, they wrap."""
    kind = expressions.type_of(node)
    if not isinstance(kind, ScalarType) or not (kind.weak or slices):
        return
    if kind.weak and kind.kind == "i":
        test_fits(expressions, node, dtype)
    elif kind.kind in "iuf" and np.dtype(dtype).kind in "iu":
        text, names = code_of(expressions.scalar(node).element(())), expressions.names
        for misfit in Misfits(names.method, expressions.types, ()).stored(dtype, node, text):
            raising = names.raised(misfit.statement, misfit.values, node)
            Emitting(expressions, node).emit(f"if {misfit.condition}:", f"    {raising}")


def test_range(given: Arguments, start: str, step: str, length: str) -> None:
    """The tests of `np.arange`, which makes its first two elements of Python's ints."""
    limits: Any = np.iinfo(given.dtype)
    for name, text, longer in (("value__first", start, 0), ("value__second", f"{start} + {step}", 1)):
        number = given.fresh(name)
        given.emit(f"{number} = {text}")
        tests = f"{number} < {limits.min}" + (f" or {number} > {limits.max}" if given.dtype != "uint64" else "")
        told = f'OverflowError(f"Python integer {{{number}}} out of bounds for {given.dtype}")'
        given.raising(f"{length} > {longer} and ({tests})", told, number)
