"""Complex numbers in a method, which OpenCL C has no type for."""

from __future__ import annotations

from somd.transforms.opencl.lacks import TargetLacks
from somd.transforms.stages import Plan
from somd.transforms.types.scalars import TupleType, Type
from somd.transforms.types.typing_table import Types


def refuse_complex(plan: Plan, types: Types) -> None:
    """Raise `TargetLacks` for the first complex name or expression of a method or its helpers."""
    methods = [(plan.method, types), *((h.method, h.types) for h in types.helpers.values())]
    for method, table in methods:
        for name, found in table.names.items():
            if is_complex(found):
                raise TargetLacks(
                    f"`{name}` is complex, which has no form in OpenCL C yet",
                    plan.method.position(plan.method.function.name),
                )
        for node, found in table.nodes.items():
            if is_complex(found):
                raise TargetLacks("a complex number has no form in OpenCL C yet", method.positions.get(node))


def is_complex(found: Type) -> bool:
    if isinstance(found, TupleType):
        return any(is_complex(part) for part in found.elements)
    return found.dtype.startswith("complex")
