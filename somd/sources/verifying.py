"""A method against the function as written: on every target, for several numbers of workers, in any order.

In: a method and inputs. Out: findings, good and bad: a target that agrees on all inputs, or the first element that
differs, with the method instance that owns it and the line that wrote it. The plan itself is run too, as a loop program
in the interpreter: iterations, parts and logical blocks in orders that chance chooses, with every claim watched.
"""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any

import libcst as cst
import numpy as np

from somd.arguments.signatures import describe_all
from somd.calls.convention import calling_of
from somd.capture.paths import parameters_of
from somd.capture.reaching import reach
from somd.errors import SomdCompileError, SomdFallbackWarning, SomdRuntimeError
from somd.language.combining import Combine
from somd.settings.config import use
from somd.settings.targets import TargetLacks, target_of
from somd.sources.comparing import EXACT, Difference, Tolerance, described, difference, duplicated
from somd.sources.expected import Arguments, Expected
from somd.sources.load import Method, function_of
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.owners import Owners
from somd.transforms.loops.program import Program
from somd.transforms.loops.witness import ProgramViolation
from somd.transforms.pipeline import Compiled, compile_for, loop_program
from somd.transforms.signature_text import parse_type
from somd.transforms.stages import Joined, Plan, all_steps
from somd.transforms.tree.walking import Reader

#: units in the last place by which elementary functions and powers may differ: they are within 2 of the right value,
#: the libraries of plain Python within a few, and loops add up
FUNCTIONS = 16.0

#: begins what is said of a target that a method does not run on
NOT_RUN = "not run"


@dataclass(frozen=True)
class Finding:
    """What was found on a target (`plan` for the interpreter): in `agrees`, how well; otherwise what is different, and
    who wrote it. A `doubtful` one is none of the method's own orders, so no error."""

    target: str
    agrees: str = ""
    where: str = ""
    differs: str = ""
    owner: str | None = None
    doubtful: bool = False


def verify(
    method: Method,
    cases: Sequence[Expected],
    targets: Sequence[str],
    workers: Sequence[int],
    orders: int,
    tolerance: Tolerance | None = None,
) -> Iterator[Finding]:
    """Run the cases everywhere; one finding a target, and further ones for doubts.

    Raises:
        SomdCompileError: the method is refused for these arguments.
    """
    runs = _Runs(method, workers, tolerance)
    with use(small_work=0):
        good = True
        for target in targets:
            finding = runs.on_target(target, cases) if target != "plan" else runs.on_plan(cases, orders)
            good = good and bool(finding.agrees)
            yield finding
        if "plan" in targets and good:
            yield from runs.in_other_orders(cases)


@dataclass(frozen=True)
class Planned:
    """The plan for one kind of arguments, the names of the values that it takes, and their partitioners."""

    compiled: Compiled
    names: tuple[str, ...]
    partitioners: dict[str, Any]

    @property
    def plan(self) -> Plan:
        return self.compiled.plan

    @cached_property
    def program(self) -> Program:
        return loop_program(self.compiled)

    @cached_property
    def interpreter(self) -> Interpreter:
        return Interpreter(self.program)


class _Runs:
    def __init__(self, method: Method, workers: Sequence[int], tolerance: Tolerance | None) -> None:
        self.method = method
        self.function = function_of(method)
        self.names = parameters_of(self.function)
        self.workers = workers
        self.tolerance = tolerance
        #: the plan for each kind of arguments
        self.plans: dict[tuple[object, ...], Planned] = {}

    def on_target(self, target: str, cases: Sequence[Expected]) -> Finding:
        exact = True
        for case in cases:
            first: Any = None
            for number in self.workers:
                where = (
                    f"{target}, {number} worker{'s' if number != 1 else ''}: {described(self.names, case.arguments)}"
                )
                found = duplicated(case.arguments)
                try:
                    with use(target=target, workers=number), warnings.catch_warnings():
                        warnings.simplefilter("error", SomdFallbackWarning)
                        warnings.simplefilter("ignore", RuntimeWarning)
                        result: Any = self.method(*found)
                except SomdFallbackWarning as warning:
                    return Finding(target, agrees=f"{NOT_RUN}: {str(warning).partition(': ')[2].splitlines()[0]}")
                except SomdCompileError:
                    raise
                except Exception as error:
                    if case.error is None or not _alike(error, case.error):
                        return Finding(target, where=where, differs=_raised(error, case.error))
                    continue
                if case.error is not None:
                    return Finding(target, where=where, differs=_raised(None, case.error))
                made = self.compared((result, found), (case.result, case.after), case)
                if made is not None:
                    work_items = not target_of(target).uses_workers
                    return Finding(target, "", where, str(made), self.owner(case, made, number, work_items))
                exact = exact and self.differs((result, found), (case.result, case.after), EXACT) is None
                if first is not None and self.fixed and self.differs((result, found), first, EXACT) is not None:
                    made = self.differs((result, found), first, EXACT)
                    said = f"{made} with {self.workers[0]} workers"
                    return Finding(target, "", where, f"the bits depend on the number of workers: {said}")
                first = (result, found) if first is None else first
        counts = ", ".join(map(str, self.workers))
        return Finding(target, agrees=f"{counts} workers: agrees, {'bit for bit' if exact else 'to rounding'}")

    def on_plan(self, cases: Sequence[Expected], orders: int) -> Finding:
        exact = True
        for case in cases:
            try:
                planned = self.planned(case.arguments)
                interpreter = planned.interpreter
            except TargetLacks as lacks:
                return Finding("plan", agrees=f"{NOT_RUN}: {lacks}")
            for seed in range(orders):
                number = self.workers[seed % len(self.workers)]
                where = f"plan, order {seed}: {described(self.names, case.arguments)}"
                found = duplicated(case.arguments)
                try:
                    result = interpreter.run(
                        dict(zip(planned.names, self.values(found), strict=True)), seed, planned.partitioners, number
                    )
                except ProgramViolation as error:
                    return Finding("plan", where=where, differs=f"a claim of the plan does not hold: {error}")
                except Exception as error:
                    if case.error is None or not _alike(error, case.error):
                        return Finding("plan", where=where, differs=_raised(error, case.error))
                    continue
                if case.error is not None:
                    return Finding("plan", where=where, differs=_raised(None, case.error))
                made = self.compared((_typed(result, case.result), found), (case.result, case.after), case)
                if made is not None:
                    return Finding("plan", "", where, str(made), self.owner(case, made, number))
                exact = exact and self.differs((result, found), (case.result, case.after), EXACT) is None
        return Finding("plan", agrees=f"{orders} orders: agrees, {'bit for bit' if exact else 'to rounding'}")

    def in_other_orders(self, cases: Sequence[Expected]) -> Iterator[Finding]:
        """Partial results combined in other orders than that of the ranks, where a function does it."""
        for case in cases:
            if case.error is not None:
                continue
            planned = self.planned(case.arguments)
            combine = planned.plan.method.combine
            if combine is None or planned.program.combine is None:
                return
            shuffled = _Shuffled(combine.function, combine.declared)
            other = Interpreter(replace(planned.program, combine=shuffled))
            where = f"partial results in another order: {described(self.names, case.arguments)}"
            for seed in range(5):
                mixed = duplicated(case.arguments)
                shuffled.order.seed(seed)
                try:
                    given = dict(zip(planned.names, self.values(mixed), strict=True))
                    result = other.run(given, seed, planned.partitioners, max(self.workers))
                except Exception as error:
                    yield Finding("plan", "", where, _raised(error, None), doubtful=True)
                    return
                made = self.compared((_typed(result, case.result), mixed), (case.result, case.after), case)
                if made is not None:
                    yield Finding("plan", "", where, str(made), doubtful=True)
                    return

    # --- what a call takes ---------------------------------------------------------------------------------------

    def values(self, arguments: Arguments) -> tuple[Any, ...]:
        arguments = _whole(self.function, arguments)
        found = reach(self.function, dict(zip(self.names, arguments, strict=True)))
        found.fastmath = self.method.fastmath
        return calling_of(found, found.structure(), self.names).values(arguments, found)

    def planned(self, arguments: Arguments) -> Planned:
        """The plan for arguments, the names of the values that it takes, and their partitioners."""
        arguments = _whole(self.function, arguments)
        found = reach(self.function, dict(zip(self.names, arguments, strict=True)))
        found.fastmath = self.method.fastmath
        calling = calling_of(found, found.structure(), self.names)
        texts = describe_all(calling.values(arguments, found), calling.texts)
        types = {name: parse_type(text) for name, text in zip(calling.names, texts, strict=True)}
        aliases = _aliases(calling.names, calling.values(arguments, found))
        key = (calling.structure, tuple(texts), tuple(aliases.items()))
        if key not in self.plans:
            partitioners = {calling.names[k]: p for k, p in calling.partitioners.items()}
            compiled = compile_for(self.function, types, aliases, found)
            self.plans[key] = Planned(compiled, calling.names, partitioners)
        self.fixed_by(self.plans[key].plan)
        return self.plans[key]

    # --- how it compares -----------------------------------------------------------------------------------------

    fixed = False

    def fixed_by(self, plan: Plan) -> None:
        """Whether results have the same bits for every number of workers."""
        nests = [phase.nest for phase in plan.phases()]
        self.fixed = not _by_instances(plan) and not any(nest.relaxed for nest in nests)

    def compared(self, found: Any, expected: Any, case: Expected) -> Difference | None:
        if self.differs(found, expected, EXACT) is None:
            return None
        return self.differs(found, expected, self.tolerance or self.suited(case))

    def differs(self, found: Any, expected: Any, tolerance: Tolerance) -> Difference | None:
        made = difference(found[0], expected[0], "result", tolerance)
        for name, mine, theirs in zip(self.names, found[1], expected[1], strict=False):
            made = made or difference(mine, theirs, f"argument `{name}`", tolerance)
        return made

    def suited(self, case: Expected) -> Tolerance:
        """Sums may associate otherwise, and elementary functions differ in the last places; nothing else may."""
        plan = self.planned(case.arguments).plan
        nests = [phase.nest for phase in plan.phases()]
        if plan.method.fastmath or _by_instances(plan) or any(n.reductions or n.combined for n in nests):
            arrays = [np.asarray(each) for each in case.arguments if isinstance(each, np.ndarray)]
            floats = [np.abs(each) for each in arrays if each.dtype.kind in "fc" and each.size]
            floor = max((float(each[np.isfinite(each)].max(initial=0.0)) for each in floats), default=0.0)
            units = FUNCTIONS + sum(each.size for each in arrays)
            single = plan.method.fastmath and any(each.dtype in ("f4", "c8") for each in arrays)
            # singles may have been added up in what is a double in the end
            relative = units * float(np.finfo("f4").eps) if single else 0.0
            return Tolerance(units=units, relative=relative, floor=floor)
        return Tolerance(units=FUNCTIONS) if _calls_functions(plan) else EXACT

    def owner(self, case: Expected, made: Difference, workers: int, work_items: bool = False) -> str | None:
        """Who wrote the element that differs, as far as the plan can tell."""
        if made.index is None:
            return None
        arguments = duplicated(case.arguments)
        try:
            planned = self.planned(arguments)
            given = dict(zip(planned.names, self.values(arguments), strict=True))
            owners = Owners(planned.program, given, planned.partitioners, workers)
        except Exception:  # the plan's own run fails: it has nothing to tell
            return None
        value: Any = owners.result
        if made.what.startswith("argument"):
            value = dict(zip(self.names, arguments, strict=False)).get(made.what.split("`")[1])
        for part in made.what.split("[")[1:]:
            value = value[int(part.rstrip("]"))]
        for name in made.what.split(".")[1:]:
            value = getattr(value, name, None)
        return owners.of(value, made.index, work_items) if isinstance(value, np.ndarray) else None


def _by_instances(plan: Plan) -> bool:
    """Whether results are made of what each method instance has."""
    return plan.method.combine is not None or any(isinstance(step, Joined) for step in all_steps(plan))


class _Shuffled(Combine):
    """A combining function that gets its partial results in an order by chance."""

    order = random.Random(0)

    def __call__(self, partials: Sequence[Any], arguments: Sequence[Any]) -> Any:
        mixed = list(partials)
        self.order.shuffle(mixed)
        return super().__call__(mixed, arguments)


def _typed(found: Any, like: Any) -> Any:
    """A result of the reference with the types of the plain function's: NumPy's scalars for Python's."""
    if isinstance(like, tuple) and isinstance(found, tuple) and len(found) == len(like):
        return tuple(_typed(f, e) for f, e in zip(found, like, strict=True))
    numbers = (bool, int, float, complex, np.generic)
    kind: Any = type(like)
    return kind(found) if isinstance(like, numbers) and isinstance(found, numbers) else found


def _aliases(names: Sequence[str], values: Sequence[Any]) -> dict[str, str]:
    """Parameters that are the same array as an earlier one."""
    first: dict[int, str] = {}
    found = {}
    for name, value in zip(names, values, strict=True):
        if isinstance(value, np.ndarray):
            if id(value) in first:
                found[name] = first[id(value)]
            first.setdefault(id(value), name)
    return found


def _alike(found: Exception, expected: Exception) -> bool:
    return isinstance(found, type(expected)) or isinstance(expected, type(found))


def _raised(found: Exception | None, expected: Exception | None) -> str:
    said = "raises nothing" if found is None else f"raises {type(found).__name__}: {_line(found)}"
    plain = "returns" if expected is None else f"raises {type(expected).__name__}: {_line(expected)}"
    return f"{said}; the plain function {plain}"


def _line(error: Exception) -> str:
    text = error.message if isinstance(error, SomdRuntimeError) else str(error)
    return " ".join(text.split())


def _calls_functions(plan: Plan) -> bool:
    """Whether the method computes with functions that libraries may round differently, or powers."""
    plain = {"len", "range", "min", "max", "abs", "int", "float", "bool", "round", "enumerate", "zip"}
    found = False

    class Calls(Reader):
        def visit_Call(self, node: cst.Call) -> None:
            nonlocal found
            found = found or not (isinstance(node.func, cst.Name) and node.func.value in plain)

        def visit_Power(self, node: cst.Power) -> None:
            nonlocal found
            found = True

    plan.method.function.body.visit(Calls())
    return found


def _whole(function: FunctionType, arguments: Arguments) -> Arguments:
    """The values of all parameters, those left out by their defaults."""
    if len(arguments) == len(parameters_of(function)):
        return arguments
    bound = inspect.signature(function).bind(*arguments)
    bound.apply_defaults()
    return tuple(bound.arguments.values())
