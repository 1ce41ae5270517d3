"""Which nests get tables, and what is known around their bodies; helpers are written out where that shows one.

In: a nest, its body as the slave has it, and the helpers of its module. Out: the body with look-ups and what belongs to
it, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.multicore.flow import assigned, constant_types, loops_in
from somd.transforms.multicore.inlining import Inliner
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.printing import Printing
from somd.transforms.multicore.repeated import EXPENSIVE, Facts
from somd.transforms.multicore.tables import Tabled, tables_of
from somd.transforms.stages import Nest
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import HelperInstance, Types

Helpers = Mapping[str, tuple[HelperInstance, cst.FunctionDef]]


@dataclass(frozen=True)
class WithTables:
    """A body with look-ups, and the types of the names that are new in it."""

    tabled: Tabled
    types: Mapping[str, str]


class LoopTables:
    """Makes tables for the body of a nest; `name` begins the names of functions."""

    def __init__(self, nest: Nest, printing: Printing, fresh: Fresh, name: str) -> None:
        self.nest = nest
        self.printing = printing
        self.types: Types = printing.types
        self.constants = printing.constants
        self.fresh = fresh
        self.name = name

    def of(self, body: Sequence[cst.BaseStatement], arguments: tuple[str, ...], iterations: str) -> WithTables | None:
        """The body with tables for an MI that runs so many `iterations` (Python text)."""
        nest = self.nest
        if nest.tests or nest.local_arrays or nest.combined or nest.copies or nest.relaxed is not None:
            return None
        helpers = self.helpers(body)
        if not any(map(_is_expensive, [*body, *(function for _, function in helpers.values())])):
            return None
        bodies: list[tuple[Sequence[cst.BaseStatement], Mapping[str, ScalarType]]] = [(body, {})]
        if helpers:
            inliner = Inliner(helpers, self.constants, self.fresh)
            bodies.insert(0, (inliner.block(body), inliner.types))
        for statements, new in bodies:
            found = self._tables(statements, new, arguments, iterations) if any(loops_in(statements)) else None
            if found is not None:
                return found
        return None

    def _tables(
        self,
        body: Sequence[cst.BaseStatement],
        new: Mapping[str, ScalarType],
        arguments: tuple[str, ...],
        iterations: str,
    ) -> WithTables | None:
        nest = self.nest
        accumulated = {name for r in nest.reductions for name in (r.name, *r.companions)}
        if not assigned(body) <= {*nest.privates, *new, *accumulated}:
            return None
        known = {**self.types.names, **new}
        scalars = {name: t.dtype for name, t in known.items() if isinstance(t, ScalarType)}
        facts = Facts(
            scalars=constant_types(self.constants) | scalars,
            seeds=frozenset({*accumulated, *(dim.variable for dim in nest.dims)}),
            written=frozenset(nest.arrays_written),
            arguments=arguments,
            arrays=frozenset(name for name, t in known.items() if isinstance(t, ArrayType)),
            reading=len(nest.dims) == 1,
            iterations=iterations,
        )
        tabled = tables_of(body, facts, self.name, self.fresh)
        if tabled is None:
            return None
        return WithTables(tabled, {**{n: t.dtype for n, t in new.items()}, **tabled.types})

    def helpers(self, body: Sequence[cst.BaseStatement]) -> Helpers:
        """The helpers that a body calls, and those that they call."""
        instances = {instance.name: instance for instance in self.types.helpers.values()}
        found: dict[str, tuple[HelperInstance, cst.FunctionDef]] = {}
        wanted = [name for statement in body for name in _called(statement)]
        while wanted:
            name = wanted.pop()
            if name in instances and name not in found:
                function = self.printing.helper(instances[name])
                found[name] = instances[name], function
                wanted += _called(function)
        return found


def _called(node: cst.CSTNode) -> list[str]:
    found: list[str] = []

    class Calls(Reader):
        def visit_Call(self, node: cst.Call) -> None:
            if isinstance(node.func, cst.Name):
                found.append(node.func.value)

    node.visit(Calls())
    return found


def _is_expensive(node: cst.CSTNode) -> bool:
    """Whether some function or power that may be worth a table is mentioned."""
    found: list[cst.CSTNode] = []

    class Functions(Reader):
        def visit_Attribute(self, node: cst.Attribute) -> None:
            if node.attr.value in EXPENSIVE:
                found.append(node)

        def visit_Power(self, node: cst.Power) -> None:
            found.append(node)

    node.visit(Functions())
    return bool(found)
