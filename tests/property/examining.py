"""One mixed program on a target: refused, or compared with plain Python in every call, for some numbers of workers."""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

import somd
from somd.arguments.signatures import describe_all
from somd.compiling.one_at_a_time import many_calls, room_for_nesting
from somd.errors import SomdCompileError, SomdError, SomdFallbackWarning, SomdInternalError, SomdRuntimeError
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.verify import verify
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.schedules import scheduled
from somd.transforms.signature_text import parse_type
from somd.transforms.stages import Phase, Serial, Uniform, all_steps, nested_steps
from somd.transforms.types.scalars import Type
from tests.property.calls import Call, calls
from tests.property.mixed import Mixed, mixed
from tests.property.of_ranks import outcomes_of_ranks
from tests.property.outcomes import Outcome, Types, difference, outcome
from tests.property.plain import namespace_of, plain_function
from tests.transforms.passes.validation import schedules

WORKERS = (1, 2, 3, 7)
#: how many ranks share each call, besides; they are threads
RANKS: tuple[int, ...] = ()
#: seconds for a call as plain Python: what takes longer has a range that wraps, and no end
PATIENCE = 2.0
#: orders of iterations in the interpreter
ORDERS = (1, 2)
#: what tells whether a result may be that of a method with `fastmath`; none has it
of_fastmath: Any = None


@dataclass
class Examined:
    """`verdict`: `agrees`, `doubtful` (but for the type of a number that may stay as it began),
    `differs`, `failed` (an exception that is not the method's own), or `refused` with the code.

    `refused_calls` counts calls refused by themselves, by code; `undefined` those about which nothing is promised.
    `refused_features`: those that wrote the line that a refusal points to.
    """

    number: int
    verdict: str = "agrees"
    code: str = ""
    features: list[str] = field(default_factory=list)
    refused_features: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    calls: int = 0
    undefined: int = 0
    raised: int = 0
    refused_calls: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Refused(Exception):
    """The target does not take this call; `code` says why."""

    def __init__(self, code: str, error: BaseException) -> None:
        super().__init__(str(error))
        self.code = code
        self.error = error


def examine(number: int, target: str) -> Examined:
    """Examine the program of this number on `target`; `plan` interprets its plan."""
    return examine_program(mixed(number), target)


def examine_program(made: Mixed, target: str, only: str = "") -> Examined:
    """As `examine`; of the calls only those that are described by `only`, if that is given."""
    start = time.monotonic()
    found = Examined(made.number, features=sorted(made.features))
    try:
        _examine(made, target, found, only)
    except Refused as refused:
        found.verdict, found.code = "refused", refused.code
        found.refused_features = sorted(_blamed(made, refused.error))
        found.details = [str(refused)]
    found.seconds = time.monotonic() - start
    return found


def mismatches(number: int, target: str) -> list[str] | None:
    """How the program differs from plain Python; None where it is refused."""
    found = examine(number, target)
    return None if found.verdict == "refused" else found.details


def _examine(made: Mixed, target: str, found: Examined, only: str) -> None:
    file = f"<mixed program {made.number}>"
    own = target != "plan"  # whose interpreter has NumPy's functions
    tolerance = 0.0 if own else made.tolerance
    plain = plain_function(made, file, own, True)
    exact = plain_function(made, file, own, False)
    try:
        with own_errors():
            method = namespace_of(made.text, file)[made.name]
            of_ranks = namespace_of(made.text, file)[made.name] if RANKS else None
        runs: Any = _Planned(method) if target == "plan" else _Compiled(method, target, of_ranks)
    except Foreign as foreign:
        found.verdict, found.details = "failed", [f"at decoration: {foreign}"]
        return
    fast = of_fastmath(made, method, target) if of_fastmath is not None and own else None
    accepted, types = False, Types()
    first: Refused | None = None
    for given in calls(made):
        if not given.what.startswith(only):
            continue
        wanted = outcome(plain, given, True, PATIENCE)
        if wanted.undefined:
            found.undefined += 1
            continue
        try:
            for where, mine in runs.outcomes(given):
                differs = difference(wanted, mine, tolerance, not own, types)
                if differs:
                    unbounded = outcome(exact, given, seconds=PATIENCE)
                    rough = (1e-4 if made.narrow else 1e-10) if inexact(made, method, given, target) else 0.0
                    differs = "" if _as_good(wanted, unbounded, mine, rough) else differs
                if differs and _wraps(wanted, unbounded) and half_wraps(method, given, target):
                    differs = ""  # in one run some ints wrapped, and some did not: no run of either kind is like it
                if fast is not None:
                    differs = fast.difference(given, mine, differs)
                if differs:
                    found.verdict = "differs"
                    found.details.append(f"{given.what}, {where}: {differs}")
                    break
            accepted = True
            found.calls += 1
            found.raised += wanted.error is not None
        except Foreign as foreign:
            found.verdict = "failed" if found.verdict == "agrees" else found.verdict
            found.details.append(f"{given.what}: {foreign}")
            accepted = True
        except Refused as refused:
            first = first or refused
            found.refused_calls[refused.code] = found.refused_calls.get(refused.code, 0) + 1
        if len(found.details) > 2:
            break
    doubtful = {what: text for what, text in types.doubtful.items() if what not in types.numpys}
    if found.verdict == "agrees" and doubtful and target != "plan":
        found.verdict = "doubtful"
        found.details = [f"{what}: {text}, whose type is Python's in every call" for what, text in doubtful.items()]
    if not accepted and first is not None:
        raise first


def _as_good(wanted: Outcome, unbounded: Outcome, found: Outcome, rough: float) -> bool:
    """Whether the documentation allows what was found in another place than `wanted`, where ints wrap.

    So it is with what Python's ints without bounds give, too, an index among them that is beyond 64 bits, and with some
    results of either kind: on a device what stands between loops is Python's; with what came of a float that has no
    room in an integer; and with last places, by `rough`.
    """
    parts = (wanted.result, unbounded.result, found.result)
    if all(isinstance(each, tuple) for each in parts) and len({len(each) for each in parts}) == 1:
        wide = tuple(u if type(u) is type(f) is int and u == f else w for w, u, f in zip(*parts, strict=True))
        wanted = dataclasses.replace(wanted, result=wide)
    if wanted.beyond or (isinstance(unbounded.error, OverflowError) and isinstance(found.error, IndexError)):
        return True
    if not difference(unbounded, found, rough, True):
        return True
    return wanted.error is None and not difference(wanted, found, rough, True)


def _wraps(wanted: Outcome, unbounded: Outcome) -> bool:
    """Whether it shows that the ints of `wanted` wrap at 64 bits, and those of `unbounded` do not."""
    return isinstance(unbounded.error, OverflowError) or bool(difference(wanted, unbounded, 0.0, True))


def inexact(made: Mixed, method: Any, given: Call, target: str) -> bool:
    """Whether last places may be others than plain Python's.

    Distributed loops sum or multiply in the turns of a loop that is not, as in iterations in order: what the turns
    before have made, so that the association shows (docs/language.md). Other sums of generated programs are exact in
    any order. Or the master of a device, which is Python, computes powers or elementary functions by Python's own. Or
    a scan claims an association of its own, and what it sums up is not exact.
    """
    if made.rough and "scan=" in made.text:
        return True
    with room_for_nesting(method.__wrapped__):
        plan = compile_for(method.__wrapped__, *signature(method, given)).plan
    steps = list(all_steps(plan))
    if target == "opencl" and any(_COMPUTED.search(_code(step)) for step in steps if isinstance(step, Serial)):
        return True
    turns = [step for step in steps if isinstance(step, Uniform) and not isinstance(step.node, cst.If)]
    inner = [step for turn in turns for step in nested_steps(turn.body) if isinstance(step, Phase)]
    return any(each.op in ("+", "*") for phase in inner for each in phase.nest.reductions)


def half_wraps(method: Any, given: Call, target: str) -> bool:
    """Whether ints wrap in the loops of a call and do not between them, which is left to Python on a device."""
    with room_for_nesting(method.__wrapped__):
        plan = compile_for(method.__wrapped__, *signature(method, given)).plan
    return target == "opencl" and any(isinstance(step, Serial | Uniform) for step in all_steps(plan))


#: powers, functions of `math` and NumPy, and functions beside the method, which may have them
_COMPUTED = re.compile(r"\*\*|\bpow\(|\b(math|np)\.\w+\(|\bf\d+_\(")


def _code(step: Serial) -> str:
    with many_calls():
        return "".join(cst.Module([]).code_for_node(statement) for statement in step.statements)


def signature(method: Any, given: Call) -> tuple[dict[str, Type], dict[str, str]]:
    """The parameters' types, and the arrays among them that are others."""
    names = method.__wrapped__.__code__.co_varnames[: len(given.arguments)]
    types = dict(zip(names, map(parse_type, describe_all(given.arguments, names)), strict=True))
    aliases: dict[str, str] = {}
    for k, value in enumerate(given.arguments):
        for j in range(k):
            if hasattr(value, "shape") and given.arguments[j] is value:
                aliases[names[k]] = names[j]
                break
    return types, aliases


class Foreign(Exception):
    """An exception that no user should see."""


class own_errors:
    """A block in which refusals become `Refused`, and what is no exception of the method `Foreign`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or not isinstance(error, Exception):
            return
        if isinstance(error, SomdInternalError):
            raise Foreign(f"{error.code} {error}") from error
        if isinstance(error, SomdCompileError):
            raise Refused(error.code, error) from error
        if isinstance(error, SomdRuntimeError):
            raise Refused(error.code or "SomdRuntimeError", error) from error
        if isinstance(error, SomdFallbackWarning) and "[SOMD504]" in str(error):
            raise Foreign(str(error)) from error  # a driver has found that a kernel is no program
        if isinstance(error, SomdFallbackWarning):
            raise Refused("fallback", error) from error
        if isinstance(error, SomdError | Refused | Foreign):
            return
        raise Foreign("".join(traceback.format_exception(error))[-3000:]) from error


def run_call(call: Callable[..., Any], given: Call) -> Outcome:
    return judged(outcome(call, given))


def judged(found: Outcome) -> Outcome:
    """What a call did; `Refused` or `Foreign` where it was not the method that raised."""
    if isinstance(found.error, OverflowError) and "too far from 0" in str(found.error):
        raise Refused("SOMD609", found.error)
    if isinstance(found.error, SomdError | SomdFallbackWarning) or _is_foreign(found.error):
        with own_errors():
            raise found.error  # type: ignore[misc]
    return found


def _is_foreign(error: BaseException | None) -> bool:
    module = type(error).__module__ if error is not None else ""
    return module.startswith(("numba", "llvmlite", "pyopencl", "libcst", "islpy", "somd")) or (isinstance(
        error, AttributeError | NameError | TypeError | KeyError | SyntaxError | NotImplementedError | RecursionError
    ) and not isinstance(error, UnboundLocalError))  # fmt: skip


class _Compiled:
    """A method on a target; `of_ranks` is the same one, which ranks alone have called."""

    def __init__(self, method: Any, target: str, of_ranks: Any) -> None:
        self.method, self.target, self.of_ranks = method, target, of_ranks

    def outcomes(self, given: Call) -> Iterator[tuple[str, Outcome]]:
        for workers in WORKERS:
            with warnings.catch_warnings(), somd.use(target=self.target, workers=workers, small_work=0):
                warnings.simplefilter("error", SomdFallbackWarning)
                found = run_call(self.method, given)
            yield f"{workers} workers", found
        for size in RANKS:
            with warnings.catch_warnings():
                warnings.simplefilter("error", SomdFallbackWarning)
                found_by = outcomes_of_ranks(self.of_ranks, given, self.target, size)
            for rank, each in enumerate(found_by):
                yield f"rank {rank} of {size}", judged(each)


class _Planned:
    """The plan of a method, run by its definition."""

    def __init__(self, method: Any) -> None:
        self.method = method
        self.made: dict[Any, list[Interpreter]] = {}

    def outcomes(self, given: Call) -> Iterator[tuple[str, Outcome]]:
        types, aliases = signature(self.method, given)
        key = (str(types), tuple(aliases.items()))
        if key not in self.made:
            function = self.method.__wrapped__
            with own_errors(), room_for_nesting(function):
                program = loop_program(compile_for(function, types, aliases))
                others = [scheduled(program, schedule) for schedule in schedules()]
                for other in others:
                    verify(other)
                changed = [other for other in others if other is not program]
                self.made[key] = [Interpreter(each) for each in (program, *changed)]
        for seed, interpreter in itertools.product(ORDERS, self.made[key]):
            yield (
                f"order {seed}" + ("" if interpreter is self.made[key][0] else ", after the passes"),
                run_call(
                    lambda *own, seed=seed, interpreter=interpreter: interpreter.run(
                        dict(zip(types, own, strict=True)), seed
                    ),
                    given,
                ),  # type: ignore[misc]
            )


def _blamed(made: Mixed, error: BaseException) -> set[str]:
    found: set[str] = set()
    for diagnostic in getattr(error, "diagnostics", ()):
        if diagnostic.position is not None:
            found |= made.owners.get(diagnostic.position.line, frozenset())
    return found
