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

typeinfer: Any = _typeinfer
types: Any = _types
unliteral: Any = _types.unliteral

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul)
_COMPARED = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_OF_NUMBERS = {*_ARITHMETIC, *_COMPARED, operator.truediv, operator.itruediv, operator.and_, operator.or_}
#: numbers of which literals are taken as all others are
_NUMBERS = (types.int64, types.float64, types.float32)

_own: Any = typeinfer.TypeInferer.resolve_call
#: by operator and types: what Numba knew the operator for, and the signature
_known: dict[Any, tuple[Any, Any]] = {}


@contextmanager
def remembered() -> Iterator[None]:
    """A block in which all that is compiled remembers types of operators; no other thread compiles meanwhile."""
    with global_compiler_lock:
        before = typeinfer.TypeInferer.resolve_call
        typeinfer.TypeInferer.resolve_call = _resolve_call
        try:
            yield
        finally:
            typeinfer.TypeInferer.resolve_call = before


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


def _key(function: Any, given: Any) -> Any:
    """The operator and the types, where both are among those that are remembered."""
    name = function.typing_key if isinstance(function, types.Function) else None
    if name in _OF_NUMBERS:
        kinds = tuple(map(unliteral, given))
        return (name, *kinds) if all(each in _NUMBERS for each in kinds) else None
    if name is operator.getitem and type(given[0]) is types.Array and isinstance(given[0].dtype, types.Number):
        index = tuple(given[1]) if isinstance(given[1], types.UniTuple) else (given[1],)
        return (name, *given) if all(each in _NUMBERS for each in index) else None
    return None
