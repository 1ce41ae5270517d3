"""Functions of ours that compiled code calls in place of Python's, and Numba's own code for what they leave to it.

In: a function of ours, what it stands for, and what it generates. Out: Numba types it as it types what it stands for,
and asks it for the code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types as _types
from numba.core.typing import templates as _templates
from numba.extending import lower_builtin as _lower_builtin

types: Any = _types
templates: Any = _templates
lower_builtin: Any = _lower_builtin

#: context, builder, signature, arguments and Numba's own implementation to the value
Generate = Callable[[Any, Any, Any, Any, Callable[[], Any]], Any]


def stands_for(
    numbas: Callable[..., Any], generate: Generate, typed: Callable[[Any], Any] = lambda arguments: None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Tell Numba of a function that stands for one of its own; `typed` gives the signature where it is not Numba's."""

    def tell(function: Callable[..., Any]) -> Callable[..., Any]:
        class Template(templates.AbstractTemplate):  # type: ignore[misc]
            key = function

            def generic(self, args: Any, kws: Any) -> Any:
                signature = None if kws else typed(args)
                if signature is not None:
                    return signature
                return self.context.resolve_function_type(self.context.resolve_value_type(numbas), args, kws)

        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def own() -> Any:
                known = context.typing_context.resolve_value_type(numbas)
                implementation = context.get_function(known, signature)
                context.add_linking_libs(getattr(implementation, "libs", ()))
                return implementation

            return generate(context, builder, signature, arguments, own)

        templates.infer_global(function, types.Function(Template))
        lower_builtin(function, types.VarArg(types.Any))(lower)
        return function

    return tell
