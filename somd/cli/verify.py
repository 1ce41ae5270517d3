"""`somdc verify`: a method on all targets, numbers of workers and orders against the function as written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import typer

from somd.cli.files import methods_of, split_target
from somd.cli.output import Problem, complain, progress, remark, say, shortened
from somd.cli.targets import ALL, choice
from somd.errors import SomdCompileError
from somd.settings.targets import TARGETS
from somd.sources.load import Loaded, Method, function_of, load

if TYPE_CHECKING:
    from somd.sources.expected import Expected
    from somd.sources.verifying import Finding

#: the plan itself, which is interpreted in orders by chance
PLAN = "plan"


def verify(
    what: str = typer.Argument(help="A file, a method in it, or module.function.", metavar="FILE[:FUNCTION]"),
    inputs: str | None = typer.Option(None, "--inputs", help="NAME or FILE:NAME of a function that returns inputs."),
    target: str = choice(ALL, "--target", "What to run.", before=(ALL,), after=(PLAN,)),
    workers: str = typer.Option("1,2,3,7", "--workers", help="Numbers of workers."),
    orders: int = typer.Option(20, "--orders", min=1, help="In how many orders to run the plan."),
    size: list[int] | None = typer.Option(None, "--size", min=0, help="Length of generated arrays; may be repeated."),
    seed: int = typer.Option(0, "--seed", min=0, help="Of the generated inputs."),
    rtol: float | None = typer.Option(None, "--rtol", min=0.0, help="Relative tolerance; 0 wants the same bits."),
    signature: str | None = typer.Option(None, "--signature", help="Argument types of generated inputs."),
) -> None:
    """Run methods against the functions as written: targets, workers, partitions and merge orders.

    Inputs are generated for the declared signatures, or those that the source suggests, or given by a function of the
    file: a list of tuples of arguments. Exit status 1 and the first differing element if something differs. The whole
    file is imported, so that its top-level statements run, and so do the methods, many times, as plain Python too. Of a
    file with several methods, those that want inputs of their own are named and left aside.
    """
    from somd.sources.comparing import Tolerance
    from somd.sources.verifying import verify as run

    numbers = _numbers(workers)
    loaded, methods = methods_of(what, whole=True)
    if len(methods) > 1 and (inputs is not None or signature is not None):
        listed = ", ".join(f"`{function_of(each).__qualname__}`" for each in methods)
        given = "--inputs" if inputs is not None else "--signature"
        raise Problem(f"{given} is for one method, and {what} has {listed}: name one, {what}:FUNCTION")
    targets = (*TARGETS, PLAN) if target == ALL else (target,)
    tolerance = None if rtol is None else Tolerance(relative=rtol)
    bad, ran = False, False
    for method in methods:
        name = function_of(method).__qualname__
        try:
            for title, cases in _cases(method, loaded, inputs, signature, seed, size):
                say(f"{name}{title}: {len(cases)} input{'s' if len(cases) != 1 else ''}")
                with progress(f"running {name}"):
                    for finding in run(method, cases, targets, numbers, orders, tolerance):
                        bad = _tell(name, finding) or bad
                ran = True
        except Problem as problem:
            if len(methods) == 1:
                raise
            remark(f"note: `{name}` is left aside: {problem}")
        except SomdCompileError as error:
            if inputs is None and signature is None and not method.signatures:
                remark(f"note: argument types that the source of `{name}` suggests are tried; --signature says others")
            if len(methods) == 1:
                raise
            complain(str(error), bare=True)
            bad = True
    if not ran and not bad:
        raise Problem("no method could be run", 1)
    if bad:
        raise typer.Exit(1)


def _tell(name: str, finding: Finding) -> bool:
    """Say what was found; True for a difference."""
    if finding.agrees:
        say(f"  {finding.target:<9} {finding.agrees}")
        return False
    if finding.doubtful:
        remark(f"warning: `{name}` depends on the order of its partial results, which is that of the ranks")
        remark(f"  {finding.where}\n  {finding.differs}")
        return False
    say(f"  {finding.target:<9} DIFFERS from the function as written")
    say(f"    {finding.where}")
    say(f"    first difference: {finding.differs}")
    if finding.owner is not None:
        say(f"    {finding.owner}")
    complain(f"`{name}` differs on {finding.target}")
    return True


def _cases(
    method: Method, loaded: Loaded, inputs: str | None, signature: str | None, seed: int, sizes: Sequence[int] | None
) -> Iterator[tuple[str, list[Expected]]]:
    """The inputs with what they are to give, for each signature."""
    from somd.calls.specialisations import declared_arguments
    from somd.sources.expected import expectations, partitioners_take
    from somd.sources.inputs import generated, given, indexing_parameters

    if inputs is not None:
        path, name = split_target(inputs)
        source = load(path, whole=True) if name is not None else loaded
        if name is not None and source.path == loaded.path:
            source = loaded
        found, failed = expectations(method, ((case,) for case in given(source, name or inputs, method)))
        for why in failed:
            remark(f"note: an input is left out, for which the function as written raises {why}")
        if not found:
            raise Problem(f"the function as written runs for none of the inputs of `{inputs}`", 1)
        yield "", found
        return
    from somd.cli.explain import reached

    reach = reached(method)
    if reach.top.objects:
        raise Problem(f"`{function_of(method).__qualname__}` takes an object: give its inputs with --inputs", 1)
    indexing = indexing_parameters(method, reach)
    texts: list[str | None] = [signature] if signature is not None else [*method.signatures]
    for text in texts or [None]:
        types = declared_arguments(function_of(method), reach, text)
        own = {name: kind for name, kind in types.items() if name not in reach.names.values()}
        found, failed = expectations(method, generated(own, indexing, seed, sizes), partial(partitioners_take, method))
        if not found or all(case.error is not None for case in found):
            why = failed[0] if failed else "IndexError"
            raise Problem(f"no generated input suits: the function as written raises {why}; give some with --inputs", 1)
        yield f"({', '.join(f'{name}: {kind}' for name, kind in own.items())})", found


def _numbers(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise Problem(
            f"--workers takes numbers with commas between them, such as 1,2,7, not {shortened(text)!r}"
        ) from None
    if not all(1 <= number <= 1024 for number in found):
        raise Problem("--workers takes numbers from 1 to 1024")
    return found
