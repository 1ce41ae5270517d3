"""Parts of a method's loop program as Python for Numba, in libcst's nodes, for what builds masters and slaves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import libcst as cst
import numpy as np

from somd.transforms.emit.loops_at_once import at_once
from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_expressions import Expressions, Faults, Scope
from somd.transforms.emit.python_text import PLAIN
from somd.transforms.emit.rows_tested_once import tested_once
from somd.transforms.loops.plan_to_loops import built_from
from somd.transforms.loops.program import Allocate, AllocateLike, Expression, Function, Loop, Region, Statement
from somd.transforms.loops.walking import statements_in
from somd.transforms.multicore.names import FAR, Fresh
from somd.transforms.reserved import apart
from somd.transforms.schedules import schedule_of, scheduled
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.types.scalars import ArrayType, Number, Type
from somd.transforms.types.typing_table import HelperInstance, Types

Names = Mapping[str, str]


class Captured:
    """Names of captured numbers in a module, where each has its own, unless that stands for something else there."""

    def __init__(self, constants: dict[str, object], helpers: frozenset[str], local: frozenset[str]) -> None:
        self.constants = constants
        self.helpers = helpers
        self.local = local

    def __call__(self, name: str, value: Number, dtype: str) -> str:
        held = value if dtype in (*PLAIN, "complex128") else np.dtype(dtype).type(value)
        constants, key = self.constants, (type(held), repr(held))
        name = apart(name)
        while (name in constants and (type(constants[name]), repr(constants[name])) != key) or (
            name in self.helpers or (name + "_" in constants and name in self.local)
        ):
            name += "_"
        constants[name] = held
        return name


class Printing:
    """Prints what the plan of one method became; `constants` grows by the captured numbers that it meets."""

    def __init__(self, plan: Plan, types: Types, constants: dict[str, object], fresh: Fresh) -> None:
        self.plan = plan
        self.types = types
        self.constants = constants
        self.fresh = fresh
        #: the parameter by which a master for ranks tells of arrays that it makes
        self.ranks = ""
        self.built = built_from(plan, types)
        schedule = schedule_of("multicore", plan.method.fastmath)
        self.program = program = scheduled(self.built.program, schedule)
        self.functions = {function.name: function for function in program.functions}
        self.regions = {node.number: node for node in statements_in(program.body) if isinstance(node, Region)}
        #: the master's loops, by the identity of the user's
        self.loops = {id(node.origin.node): node for node in statements_in(program.body) if isinstance(node, Loop)}

    # --- what steps became ---------------------------------------------------------------------------------------

    def region(self, phase: Phase) -> Region:
        return self.regions[phase.number]

    def serial(self, step: Serial) -> list[cst.BaseStatement]:
        """The statements of a step without phases, as the master runs them."""
        return self.statements(self.built.of_step[id(step)])

    def block(self, step: Step) -> tuple[Statement, ...]:
        return self.built.of_step[id(step)]

    def header(self, step: Uniform) -> tuple[str, str, list[cst.BaseStatement]]:
        """Of a loop or branch around phases: what it loops over or tests, its variable, and what a trip begins with."""
        [node] = self.built.of_step[id(step)]
        printer = Statements(self.scope())
        if not isinstance(node, Loop):
            return printer.expressions.test(node.test).text, "", []  # type: ignore[union-attr]
        count = len(node.body) - sum(len(self.built.of_step[id(inner)]) for inner in step.body)
        firsts = self.statements(node.body[:count])
        return printer.range(node), printer.scope.name(node.variable.name), firsts

    # --- printing ------------------------------------------------------------------------------------------------

    def scope(self, renamed: Names | None = None, faults: Faults | None = None, elsewhere: str = "") -> Scope:
        """What names stand for in the master, or in a slave."""
        return _scope(self.types, self.fresh, self.captured(), renamed or {}, faults, elsewhere)

    def captured(self) -> Captured:
        helpers = frozenset(instance.name for instance in self.types.helpers.values())
        return Captured(self.constants, helpers, frozenset(self.plan.method.local_names))

    def statements(
        self, nodes: Sequence[Statement], scope: Scope | None = None, own: frozenset[str] = frozenset()
    ) -> list[cst.BaseStatement]:
        """Statements of the program."""
        printer = Statements(scope or self.scope(), own, "" if scope is None else FAR, self.ranks)
        return parsed_lines(printer.lines(nodes))

    def assumed(self, node: Loop) -> list[cst.BaseStatement]:
        """What is proved of the variable of a loop."""
        return parsed_lines(Statements(self.scope(), frozenset(), FAR).assumed(node))

    def value(self, node: Expression) -> str:
        """A value that cannot fail, as the master writes it."""
        return Expressions(self.scope()).value(node).text

    def text(self, node: cst.BaseExpression) -> str:
        """A whole number of the method that cannot fail."""
        return self.value(self.built.expressions.limit(node))

    def rooms(self, region: Region, scope: Scope) -> list[cst.BaseStatement]:
        """The statements that make the arrays of an iteration, once for all of them."""
        found: dict[str, str] = {}
        for node in statements_in(region.body):
            if isinstance(node, Allocate | AllocateLike) and node.array in region.local_arrays:
                found.setdefault(node.array, Statements(scope).room(node))
        return parsed_lines(list(found.values()))

    def helper(self, instance: HelperInstance) -> cst.FunctionDef:
        """The function of a helper."""
        return helper_function(self.functions[instance.name], instance, self.constants, self.captured().helpers)


def helper_function(
    function: Function, instance: HelperInstance, constants: dict[str, object], helpers: frozenset[str]
) -> cst.FunctionDef:
    """The function of a helper for given argument types; captured numbers go to `constants`."""
    method = instance.method
    fresh = Fresh({*method.local_names, *helpers})
    captured = Captured(constants, helpers, frozenset(method.local_names))
    printer = Statements(_scope(instance.types, fresh, captured, {}, None, ""))
    body = [*docstring(method.function), *parsed_lines(printer.block(function.body))]
    header = f"@helper\ndef {instance.name}({', '.join(method.param_names)}):\n    pass\n"
    position = method.position(method.function)
    comment = cst.EmptyLine(comment=cst.Comment(f"# from {os.path.basename(position.file)}, line {position.line}"))
    return cst.ensure_type(cst.parse_statement(header), cst.FunctionDef).with_changes(
        body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
    )


def docstring(function: cst.FunctionDef) -> list[cst.BaseStatement]:
    """The statement that is the docstring of a function, if it has one."""
    first = statements_of(function.body)[0]
    text = isinstance(first, cst.SimpleStatementLine) and function.get_docstring() is not None
    return [cst.ensure_type(first, cst.SimpleStatementLine)] if text else []


def _scope(
    types: Types, fresh: Fresh, captured: Captured, renamed: Names, faults: Faults | None, elsewhere: str
) -> Scope:
    kinds: Mapping[str, Type] = types.names
    arrays = {name: kind for name, kind in kinds.items() if isinstance(kind, ArrayType)}
    return Scope(fresh.name, arrays, captured, renamed, faults, elsewhere)


def parsed_lines(lines: Sequence[str]) -> list[cst.BaseStatement]:
    """The statements of a text."""
    return verbatim("\n".join(lines)) if lines else []


def loop_at_once(region: Region, level: int, scope: Scope, limits: tuple[str, str]) -> list[cst.BaseStatement] | None:
    """The loop of a region in vectors, or as copies, or with its tests before it, between `limits`; None where it is
    written as it is."""
    ordered = region.ordered_if or region.aliased or region.relaxed or region.carried
    once = tested_once(region) if scope.faults is not None and not scope.elsewhere else None
    loop, statements = (region if once is None else once.region).loops[level], Statements(scope, frozenset(), FAR)
    lines = at_once(loop, statements, not ordered, limits)
    if once is not None:
        lines = once.lines(statements, limits, lines)
    return None if lines is None else parsed_lines(lines)
