"""The larger and the smaller of two floats where there is no nan, and it does not matter which of two zeros is taken.

LLVM vectorises loops that keep the largest element where it knows both; `passes/extremes.py` sees to it.
"""

from __future__ import annotations

from typing import Any

from numba import types

from somd.runtime.multicore.intrinsics import intrinsic

#: what LLVM may think: no nan, and zeros have no signs
_FLAGS = ("nnan", "nsz")


def _chosen(symbol: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def quick(typing_context: Any, left: Any, right: Any) -> Any:
        if not isinstance(left, types.Float) or left != right:
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            test = builder.fcmp_ordered(symbol, *arguments, flags=_FLAGS)
            return builder.select(test, *arguments, flags=_FLAGS)

        return left(left, right), generate

    return quick


quick_maximum = _chosen(">")
quick_minimum = _chosen("<")
