"""A function as the passes want it: parsed, loops plain, arguments in their places, its form checked."""

from __future__ import annotations

from somd.capture.lookups import current
from somd.diagnostics.model import Collector
from somd.transforms.frontend.chained import single_assignments
from somd.transforms.frontend.desugar import plain_loops
from somd.transforms.frontend.grids import plain_grids
from somd.transforms.frontend.named_indexes import without_named_indexes
from somd.transforms.frontend.nested import Nested
from somd.transforms.frontend.plain_calls import plain_calls
from somd.transforms.frontend.positional import positional_calls
from somd.transforms.frontend.python_numbers import python_numbers
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.source_to_method import method_of, nested_method
from somd.transforms.frontend.taken_to_params import reached_method
from somd.transforms.frontend.tuple_comparisons import plain_comparisons
from somd.transforms.frontend.type_limits import with_type_limits
from somd.transforms.frontend.unsupported import check_supported
from somd.transforms.stages import Method


def looked_at(function: Function) -> Method:
    """As `read_method`, for those who make nothing of its nodes: with the same look-ups a helper is read once for them.

    Raises:
        SomdCompileError: SOMD1xx, SOMD2xx.
    """
    lookups = current()
    if lookups is None:
        return read_method(function)
    if function not in lookups.helpers:
        lookups.helpers[function] = read_method(function)
    found: Method = lookups.helpers[function]
    return found


def read_method(function: Function) -> Method:
    """The method of `function`, be it a SOMD method or a helper.

    Raises:
        SomdCompileError: SOMD1xx, SOMD2xx.
    """
    if isinstance(function, Nested):
        method = nested_method(function)
    else:
        method = reached_method(function) if isinstance(function, Reached) else method_of(function)
    method = without_named_indexes(plain_loops(method))
    method = single_assignments(plain_comparisons(python_numbers(method)))
    method = plain_calls(with_type_limits(plain_grids(method), {}))
    collector = Collector()
    check_supported(method, collector)
    collector.raise_if_errors()
    method = positional_calls(method, collector)
    collector.raise_if_errors()
    return method
