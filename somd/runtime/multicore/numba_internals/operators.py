"""Types of operators on numbers, and of elements of arrays: asked of Numba once, not at each place.

Numba tries one after another all that an operator is known for, functions of arrays too: a tenth of the time that a
master takes to compile. What it found is remembered here, by operator and types, while the operator is known for the
same.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import typeinfer as _typeinfer
from numba.core import types as _types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing import context as _context

from somd.runtime.multicore.intrinsics import assume
from somd.runtime.multicore.numba_internals.quotients import quotient, remainder
from somd.runtime.multicore.numba_internals.ranges import bounded_range

context: Any = _context
typeinfer: Any = _typeinfer
types: Any = _types
unliteral: Any = _types.unliteral

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul)
_COMPARED = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_DIVIDED = (operator.truediv, operator.itruediv, operator.floordiv, operator.mod, quotient, remainder)
_OF_NUMBERS = {*_ARITHMETIC, *_COMPARED, *_DIVIDED, operator.and_, operator.or_, bounded_range}
_OF_TRUTHS = {bool, assume}
#: numbers of which literals are taken as all others are
_NUMBERS = (types.int64, types.float64, types.float32)

_own: Any = typeinfer.TypeInferer.resolve_call
_own_setitem: Any = context.BaseContext.resolve_setitem
#: by operator and types: what Numba knew the operator for, and the signature
_known: dict[Any, tuple[Any, Any]] = {}


@contextmanager
def remembered() -> Iterator[None]:
    """A block in which all that is compiled remembers types of operators; no other thread compiles meanwhile."""
    with global_compiler_lock:
        before = typeinfer.TypeInferer.resolve_call, context.BaseContext.resolve_setitem
        typeinfer.TypeInferer.resolve_call, context.BaseContext.resolve_setitem = _resolve_call, _resolve_setitem
        try:
            yield
        finally:
            typeinfer.TypeInferer.resolve_call, context.BaseContext.resolve_setitem = before


def _resolve_call(inferer: Any, function: Any, given: Any, named: Any) -> Any:
    """What Numba's does, or did."""
    key = None if named else _key(function, given)
    if key is None:
        return _own(inferer, function, given, named)
    known, signature = _known.get(key, (None, None))
    if known is not function:
        signature = _own(inferer, function, given, named)
        # two literals have a signature of their own, which says what comes out: it is not that of two numbers
        if signature is not None and all(unliteral(each) == each for each in signature.args):
            _known[key] = function, signature
    return signature


def _resolve_setitem(asked: Any, target: Any, index: Any, value: Any) -> Any:
    """What Numba's does, or did."""
    key = (operator.setitem, target, index, value) if _element(target, index) and value in _NUMBERS else None
    known, signature = _known.get(key, (None, None))
    if known is None:
        signature = _own_setitem(asked, target, index, value)
        if key is not None:
            _known[key] = asked, signature
    return signature


def _key(function: Any, given: Any) -> Any:
    """The operator and the types, where both are among those that are remembered."""
    name = function.typing_key if isinstance(function, types.Function) else function
    if name is operator.getitem:
        return (name, *given) if _element(*given) else None
    if not isinstance(function, types.Function):
        return None
    kinds = tuple(map(unliteral, given))
    if name in _OF_NUMBERS:
        return (name, *kinds) if all(each in _NUMBERS for each in kinds) else None
    return (name, *kinds) if name in _OF_TRUTHS and all(each is types.boolean for each in kinds) else None


def _element(array: Any, index: Any) -> bool:
    """Whether an index is that of an element of an array of numbers."""
    if type(array) is not types.Array or not isinstance(array.dtype, types.Number):
        return False
    indexes = tuple(index) if isinstance(index, types.UniTuple) else (index,)
    return len(indexes) == array.ndim and all(each in _NUMBERS for each in indexes)
