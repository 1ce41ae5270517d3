"""The order of the passes.

function -> Method -> (supported?) -> Types -> Plan -> module text of a target
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from inspect import Parameter
from types import FunctionType
from typing import Any
from weakref import ref

import libcst as cst

from somd.capture.annotations import annotation_of
from somd.capture.lookups import Lookups, current, looking_in
from somd.capture.objects import value_given
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.compiling.bugs import compiler_bugs
from somd.compiling.one_at_a_time import many_calls, room_for_nesting
from somd.diagnostics.model import Collector, Diagnostic
from somd.errors import SomdCompileError
from somd.settings.targets import target_of
from somd.transforms.arrays.fitting_in_place import helper_not_tested, helpers_to_test, not_tested, with_fitting_tests
from somd.transforms.arrays.found import arrays_in, may_have_array_statements, says_array_statements
from somd.transforms.arrays.own_parts import made_of_themselves
from somd.transforms.arrays.statements import arrays_to_loops
from somd.transforms.frontend.claimed_scans import with_claimed_scans
from somd.transforms.frontend.inductions import without_inductions
from somd.transforms.frontend.inline import inline_calls
from somd.transforms.frontend.names_apart import names_apart
from somd.transforms.frontend.pivots import pivots_in, with_pivots
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.read import read_method
from somd.transforms.frontend.refused_calls import calls_refused_anyhow, check_calls
from somd.transforms.frontend.strides import constant_steps
from somd.transforms.frontend.type_limits import with_type_limits
from somd.transforms.frontend.unset_names import with_tested_names
from somd.transforms.loops.program import Program
from somd.transforms.plan.combined_types import check_combined_types
from somd.transforms.plan.context import Kinds, kinds_from_source, names_in_indexes, names_under_bits
from somd.transforms.plan.joined import check_functions, joined_loops
from somd.transforms.plan.method_to_plan import method_to_plan
from somd.transforms.plan.other_forms import in_another_form
from somd.transforms.plan.partial_results import loops_with_copies
from somd.transforms.plan.planned import Planned
from somd.transforms.stages import Method, Plan
from somd.transforms.tree.spelling import in_the_users_names
from somd.transforms.types.infer import infer_types, with_names_apart
from somd.transforms.types.ints_for_floats import ints_for_floats
from somd.transforms.types.partials import check_partials
from somd.transforms.types.scalars import COMPLEX, FLOAT, INT, ArrayType, ScalarType, Type
from somd.transforms.types.typing_table import HelpersOfArrays, Types


@dataclass(frozen=True)
class Compiled:
    """A method planned for one signature."""

    method: Method
    types: Types
    plan: Plan
    lookups: Lookups | None = None
    #: the same with fewer phases, of more work in all, for targets to which each phase costs a launch
    launched: Callable[[], Compiled | None] = lambda: None


@dataclass(frozen=True)
class _Read:
    """A method as it was read, and plans of it and of its other forms, each with what the planner was told."""

    method: Method
    plans: list[tuple[Method, Kinds, Planned]] = field(default_factory=list)


#: the look-ups with which methods were read last: what was read is asked for again by the check, by each target and by
#: each signature
_read: deque[ref[Lookups]] = deque()
_MOST_READ = 16
_MOST_PLANS = 8
#: what may be wrong where parameters are other arrays than the text shows
_OF_TYPES = ("SOMD105", "SOMD401", "SOMD402", "SOMD403")


def front(function: FunctionType, found: Reach | None = None) -> Method:
    """The method of `function`, its form checked; `found` is what a call reaches, or else what the text shows of it.

    It depends on what was found alone, and is kept with the look-ups for a while.

    Raises:
        SomdCompileError: SOMD1xx, SOMD2xx.
    """
    found = reach_of_source(function) if found is None else found
    found.complete()
    kept: _Read | None = found.lookups.kept
    if kept is not None:
        return kept.method
    method = _read_whole(function, found.without_values())
    found.lookups.kept = _Read(method)
    _read.append(ref(found.lookups))
    if len(_read) > _MOST_READ and (oldest := _read.popleft()()) is not None:
        oldest.kept = None
        oldest.helpers.clear()
    return method


def _read_whole(function: FunctionType, found: Reach) -> Method:
    with looking_in(found.lookups):
        collector = Collector()
        method = inline_calls(read_method(Reached(found.top, found)), collector)
        collector.raise_if_errors()
        check_functions(method, function, collector)
        check_calls(method, collector)
        collector.raise_if_errors()
        return replace(_plain_loops(method), functions=found.functions)


def _plain_loops(method: Method) -> Method:
    kept = (*loops_with_copies(method), *joined_loops(method))
    return constant_steps(without_inductions(method, kept))


def _planned(method: Method, kinds: Kinds | None = None) -> Planned:
    """What `method_to_plan` gives: that of before, if the planner would be told the same, as the check mostly is, which
    knows the source alone."""
    looked_up = current()
    read: _Read | None = None if looked_up is None else looked_up.kept
    kinds = kinds or kinds_from_source(method)
    for known, told, planned in () if read is None else read.plans:
        if kinds.answers_as(told) and replace(known, fitted=method.fitted) == method:
            plan = replace(planned.plan, method=replace(planned.plan.method, fitted=method.fitted))
            return replace(planned, plan=plan)
    planned = method_to_plan(method, kinds)
    if read is not None:
        read.plans[_MOST_PLANS - 1 :] = []
        read.plans.insert(0, (method, kinds, planned))
    return planned


def _with_written_out(method: Method, functions: Collection[Function]) -> Method:
    """`method` with helpers written out of which types tell that they compute with arrays."""
    collector = Collector()
    made = inline_calls(method, collector, also=functions)
    collector.raise_if_errors()
    return _plain_loops(made)


@contextmanager
def looking(function: FunctionType, found: Reach | None) -> Iterator[Reach]:
    """A block in which names stand for what was looked up for this call, and for nothing else.

    What the compiler does not raise on purpose becomes SOMD901.
    """
    found = reach_of_source(function) if found is None else found
    found.complete()
    with compiler_bugs(function.__qualname__), looking_in(found.lookups), room_for_nesting(function):
        yield found


def check(function: FunctionType, found: Reach | None = None) -> Plan:
    """The plan as far as the source alone shows it; of array statements, for arrays of float64.

    Raises:
        SomdCompileError: with all that was found.
    """
    with looking(function, found) as found:
        method = replace(front(function, found), fastmath=found.fastmath)
        if not says_array_statements(method):
            return _checked(method)
    suggested, refusals = default_arguments(function, found), []
    for arguments in (suggested, *_other_arguments(function, suggested)):
        try:
            return compile_for(function, arguments, {}, found).plan
        except SomdCompileError as error:
            refusals.append(error)
            if not all(each.code in _OF_TYPES for each in refusals[0].diagnostics):
                break
    raise refusals[0]


def check_source(function: FunctionType, found: Reach | None = None) -> tuple[Diagnostic, ...]:
    """Everything that the source alone can show. What array statements mean is known when arrays are: what comes out
    is wrong with a method unless a call gives it arrays where the text may as well mean numbers.

    Raises:
        SomdCompileError: with all that was found.
    """
    with looking(function, found) as found:
        method = front(function, found)
        if says_array_statements(method):
            return ()
        try:
            _has_plan(method)
        except SomdCompileError as error:
            unlike = all(each.code in ("SOMD105", "SOMD201") for each in error.diagnostics)  # if it has arrays
            if not (unlike and may_have_array_statements(method)):
                raise
            return error.diagnostics
        return ()


def refused_when_called(function: FunctionType, found: Reach) -> tuple[Diagnostic, ...]:
    """What a decorated function may have, since `.sequential` runs it, and every call of the method refuses."""
    with looking(function, found):
        method = front(function, found)
        return () if says_array_statements(method) else calls_refused_anyhow(method)


def _has_plan(method: Method) -> None:
    """That there is a plan: other forms of loops, which take far longer, are looked for where there is none without.

    Raises:
        SomdCompileError: with all that was found.
    """
    with in_the_users_names(method):
        planned = _planned(method)
        if planned.anew.claims:
            planned.checked()
            _has_plan(with_claimed_scans(method, planned.anew.claims, {}))
            return
        with suppress(SomdCompileError):
            phases = planned.checked().phases()
            tested = with_tested_names(method, [phase.nest for phase in phases])
            if tested is not method:
                _has_plan(tested)
            return
        _in_its_best_form(method, planned)


def _checked(method: Method) -> Plan:
    with in_the_users_names(method):
        planned = _planned(method)
        if planned.anew.claims:
            planned.checked()
            return _checked(with_claimed_scans(method, planned.anew.claims, {}))
        return _in_its_best_form(method, planned)


def _in_its_best_form(method: Method, planned: Planned) -> Plan:
    better = in_another_form(method, planned, {}, _checked, lambda plan: plan)
    if isinstance(better, Plan):
        return better
    method = better
    plan = planned.checked()
    tested = with_tested_names(method, [phase.nest for phase in plan.phases()])
    return plan if tested is method else _checked(tested)


def compile_for(
    function: FunctionType, arguments: Mapping[str, Type], aliases: Mapping[str, str], found: Reach | None = None
) -> Compiled:
    """The plan for these argument types, with `aliases` naming parameters that are the same memory.

    Raises:
        SomdCompileError: with all that was found.
    """
    with looking(function, found) as found:
        method = replace(front(function, found), fastmath=found.fastmath)
        return _compiled(method, arguments, aliases)


def _compiled(method: Method, arguments: Mapping[str, Type], aliases: Mapping[str, str]) -> Compiled:
    of_arrays = {p: kind.dtype for p, kind in arguments.items() if isinstance(kind, ArrayType)}
    method, inferred = with_names_apart(with_type_limits(method, of_arrays), arguments)
    with in_the_users_names(method):
        try:
            types = inferred()
        except HelpersOfArrays as found:
            return _compiled(_with_written_out(method, found.functions), arguments, aliases)
        if not method.fitted and (narrow := helpers_to_test(method, types)):
            try:
                written_out = _with_written_out(method, narrow)
                if written_out.function is not method.function:
                    return _compiled(written_out, arguments, aliases)
                reason = None
            except SomdCompileError as error:
                reason = error
            _compiled(replace(method, fitted=True), arguments, aliases)
            raise helper_not_tested(method, narrow, reason)
        if not method.fitted:
            fitted = with_fitting_tests(method, types)
            method = replace(method, fitted=True)
            if fitted.function is not method.function:
                return _with_tests(method, fitted, arguments, aliases)
        if types.whole:
            renamed = names_apart(method, made_of_themselves(method, types))
            if renamed is not method:
                return _compiled(renamed, arguments, aliases)
            method = arrays_to_loops(method, types, aliases)
            assert not infer_types(method, arguments).whole, "an array statement stayed"
            return _compiled(method, arguments, aliases)
        ranks = {name: t.ndim for name, t in sorted(types.names.items()) if isinstance(t, ArrayType)}
        inexact = frozenset(n for n, t in types.names.items() if not (isinstance(t, ScalarType) and t.dtype == "int64"))
        strong = frozenset(n for n, t in types.names.items() if isinstance(t, ScalarType) and not t.weak) - inexact
        dtypes: dict[str | cst.CSTNode, str] = {n: t.dtype for n, t in types.names.items() if isinstance(t, ScalarType)}
        dtypes.update((node, t.dtype) for node, t in types.nodes.items() if isinstance(t, ScalarType))
        planned = _planned(method, Kinds(ranks, inexact - frozenset(ranks), aliases, strong, dtypes))
        if planned.anew.claims:
            planned.checked()
            return _compiled(with_claimed_scans(method, planned.anew.claims, types.names), arguments, aliases)

        def again(other: Method) -> Compiled:
            return _compiled(other, arguments, aliases)

        known: dict[Any, Type] = {**types.names, **types.nodes}
        better = in_another_form(method, planned, known, again, _plan_of_one_type)
        if isinstance(better, Compiled):
            pivots = {} if aliases else pivots_in(method, planned.anew.points)
            looked_up = current()

            def launched() -> Compiled | None:
                with looking_in(looked_up):
                    return _in_one_phase(again, with_pivots(method, pivots))

            return replace(better, launched=launched) if pivots else better
        method = better
        plan, collector = planned.checked(), Collector()
        tested = with_tested_names(method, [phase.nest for phase in plan.phases()], types.names)
        if tested is not method:
            return _compiled(tested, arguments, aliases)
        check_combined_types(plan, types, collector)
        check_partials(plan, types, collector)
        collector.raise_if_errors()
        return Compiled(method, types, plan, current())


def _with_tests(method: Method, fitted: Method, arguments: Mapping[str, Type], aliases: Mapping[str, str]) -> Compiled:
    """`fitted`, which is `method` with tests of what integers of a type hold; refused where it is for these alone."""
    try:
        return _compiled(fitted, arguments, aliases)
    except SomdCompileError:
        _compiled(method, arguments, aliases)
    raise not_tested(method, fitted)


def _in_one_phase(again: Callable[[Method], Compiled], method: Method) -> Compiled | None:
    """The method with turns of one phase, if nothing in these is to be tested."""
    with suppress(SomdCompileError):
        made = again(method)
        plan = _plan_of_one_type(made)
        if plan is not None and not any(phase.nest.tests or phase.nest.in_order_if for phase in plan.phases()):
            return made
    return None


def _plan_of_one_type(compiled: Compiled) -> Plan | None:
    """The plan, if scalars that hold elements have the types of these: each update rounds as the array would."""
    names, found = compiled.types.names, compiled.method.held.items()
    arrays = ((names.get(name), names.get(array)) for name, array in found)
    same = all(isinstance(a, ArrayType) and s == ScalarType(a.dtype) for s, a in arrays)
    return compiled.plan if same else None


def default_arguments(function: FunctionType, found: Reach | None = None) -> dict[str, Type]:
    """Argument types where none are known: arrays of float64 as they are indexed, of int64 where elements index or have
    bits, Python's int for the rest, or float or complex where the parameter says so."""
    with looking(function, found) as found:
        method = front(function, found)
        ranks = {**dict.fromkeys(arrays_in(method), 1), **kinds_from_source(method).ranks}
        integers = names_in_indexes(method) | names_under_bits(method)
        declared = {p: value_given(annotation_of(function, p)) for p in method.param_names}
    kinds: dict[object, Type] = {float: FLOAT, complex: COMPLEX}
    scalars = {p: kinds.get(kind, INT) if isinstance(kind, type) else INT for p, kind in declared.items()}
    return {
        p: ArrayType("int64" if p in integers else "float64", ranks[p]) if p in ranks else scalars[p]
        for p in method.param_names
    }


def _other_arguments(function: FunctionType, arguments: dict[str, Type]) -> Iterator[dict[str, Type]]:
    """Other types that a text may mean: matrices for vectors, all of them or one, and vectors for numbers of which
    nothing is declared."""
    vectors = {p: kind for p, kind in arguments.items() if isinstance(kind, ArrayType) and kind.ndim == 1}
    matrices: dict[str, Type] = {p: ArrayType(kind.dtype, 2) for p, kind in vectors.items()}
    ranks: list[dict[str, Type]] = [{}, matrices, *({p: kind} for p, kind in matrices.items() if len(matrices) > 1)]
    numbers = [p for p, kind in arguments.items() if kind == INT and annotation_of(function, p) is Parameter.empty]
    more: list[dict[str, Type]] = [{p: ArrayType(dtype, 1) for p in numbers} for dtype in ("float64", "int64")]
    yield from (arguments | each for each in ranks[1:] if each)
    if numbers:
        yield from (arguments | each | vector for each in ranks[:2] for vector in more)


def takes_ints(compiled: Compiled, arguments: Mapping[str, Type]) -> tuple[int, ...]:
    """The positions of floats among the arguments for which an int may stand: nothing tells them apart."""
    with compiler_bugs(compiled.method.qualname), looking_in(compiled.lookups):
        names = ints_for_floats(compiled.method, compiled.types, arguments)
    return tuple(k for k, name in enumerate(arguments) if name in names)


def loop_program(compiled: Compiled) -> Program:
    """The loop program, verified.

    Raises:
        TargetLacks: it has something that programs do not express yet.
    """
    from somd.transforms.loops.plan_to_loops import plan_to_loops
    from somd.transforms.loops.verify import verify

    with compiler_bugs(compiled.method.qualname), looking_in(compiled.lookups), many_calls():
        made = plan_to_loops(compiled.plan, compiled.types)
        verify(made)
        return made


def module_text(compiled: Compiled, target: str, profiled: bool = False) -> str:
    """The generated module for a target; `profiled` asks for one that keeps time of its phases.

    Raises:
        TargetLacks: the target has no form for something in the method.
    """
    with compiler_bugs(compiled.method.qualname), looking_in(compiled.lookups):
        known = target_of(target)
        return known.profiled_text(compiled) if profiled else known.text(compiled)
