"""`somdc explain`: the page of a code, or what the compiler makes of a method."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from somd.capture.attributes import LeftOut, NotKnownYet
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.cli.files import one_method
from somd.cli.output import Problem, coloured, console, say
from somd.cli.targets import choice
from somd.diagnostics.registry import REGISTRY, page
from somd.errors import SomdCompileError
from somd.settings.targets import TARGETS, Target, TargetLacks, target_of
from somd.sources.load import Method, function_of

if TYPE_CHECKING:
    from somd.calls.explanation import Explanation
    from somd.transforms.pipeline import Compiled
    from somd.transforms.types.scalars import Type


#: the rooms of the compiler, in the order in which a method passes through them; then come the targets
STAGES = ("frontend", "analysis", "plan", "program", "passes")


def explain(
    what: str = typer.Argument(help="A code such as SOMD301, or FILE:FUNCTION.", metavar="CODE|FILE:FUNCTION"),
    stage: str | None = choice(None, "--stage", "Print what this stage of the compiler makes of it.", before=STAGES),
    signature: str | None = typer.Option(None, "--signature", help='Argument types, such as "float32[:], int64".'),
    whole: bool = typer.Option(False, "--import", help="Import the file as Python does: all its statements run."),
    ranks: int | None = typer.Option(None, "--ranks", help="Reckon what so many ranks would send.", min=1, max=1 << 16),
    given: str = typer.Option("", "--given", help='Arguments for --ranks, such as "plate=4096x4096, steps=20".'),
    html: Path | None = typer.Option(
        None, "--html", help="A file for a picture of the plan, or of --ranks.", metavar="FILE"
    ),
) -> None:
    """Explain a diagnostic code, or a method: partition, phases, fences, views, reductions, transfers, targets.

    The program is not run: what the method needs of its file is evaluated as long as that has no effects.
    """
    if re.fullmatch(r"somd\d*", what, re.IGNORECASE) or what.upper() in REGISTRY:
        _code(what.upper())
        return
    _, method = one_method(what, whole=whole)
    found = reached(method)
    if ranks is not None:
        for line in _scaling(method, found, signature, ranks, given, html):
            say(line)
        return
    if html is not None:
        _page(method, found, html)
        return
    if stage is not None:
        say(_stage(stage, method, found, signature))
        return
    for line in _method(method, found, signature):
        say(line)


def reached(method: Method) -> Reach:
    """What the source of a method shows that it reaches.

    Raises:
        Problem: that depends on the objects of a call.
    """
    try:
        found = reach_of_source(function_of(method), method.owner)
        found.fastmath = method.fastmath
        found.complete()
        return found
    except LeftOut as left_out:
        raise Problem(f"{left_out.why}; --import runs the whole file", 1) from None
    except NotKnownYet as path:
        name = function_of(method).__qualname__
        raise Problem(
            f"what `{path}` of `{name}` is depends on the object of a call: call the method, then use its explain()", 1
        ) from None


def _code(code: str) -> None:
    try:
        text = page(code)
    except KeyError as error:
        raise Problem(str(error.args[0])) from None
    if coloured():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        say(text.rstrip("\n"))


def _page(method: Method, found: Reach, path: Path) -> None:
    from somd.calls.explanation import Explanation
    from somd.transforms.pipeline import check
    from somd.transforms.plan.explain import explain as words
    from somd.transforms.plan.explain_page import page as picture

    plan = check(function_of(method), found)
    _written(path, Explanation(words(plan), picture(plan)))


def _written(path: Path, shown: Explanation) -> None:
    try:
        path.write_text(shown.page(), encoding="utf-8")
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    say(str(path))


def _stage(stage: str, method: Method, found: Reach, signature: str | None) -> str:
    from somd.transforms.stage_texts import stage_text

    try:
        return stage_text(stage, function_of(method), found, _arguments(method, found, signature)).rstrip("\n")
    except TargetLacks as lack:
        raise Problem(f"{stage} does not apply: {lack} [{lack.code}]", 1) from None


def _arguments(method: Method, found: Reach, signature: str | None) -> Mapping[str, Type]:
    from somd.calls.specialisations import declared_arguments

    chosen = signature if signature is not None else next(iter(method.signatures), None)
    return declared_arguments(function_of(method), found, chosen)


def _scaling(
    method: Method, found: Reach, signature: str | None, ranks: int, given: str, html: Path | None
) -> Iterator[str]:
    """What is reckoned of ranks; or nothing, where it is written as a page."""
    from somd.calls.explanation import Explanation
    from somd.sources.scaling import Scaling, arguments, lines_of, scaled, sent
    from somd.sources.scaling_plot import Point, plot

    if found.top.objects:
        name = function_of(method).__qualname__
        raise Problem(f"`{name}` takes an object, of whose arrays nothing is known here", 1)
    types = _arguments(method, found, signature)
    try:
        reckoning, values = Scaling(function_of(method), found, types), arguments(types, given)
        lines, times = list(sent(reckoning, values, ranks)), list(scaled(reckoning, tuple(values.values()), ranks))
    except TargetLacks as lack:
        raise Problem(f"every rank runs all of it: {lack} [{lack.code}]", 1) from None
    except ValueError as error:
        raise Problem(f"--given: {error}") from None
    except IndexError as error:
        raise Problem(f"the call raises IndexError: {error}; say lengths that fit with --given", 1) from None
    lines += lines_of(times)
    if html is None:
        yield from lines
    else:
        points = [Point(each.ranks, *each.efficiencies(times[0])) for each in times]
        _written(html, Explanation("\n".join(lines), plot(points)))


def _method(method: Method, found: Reach, signature: str | None) -> Iterator[str]:
    from somd.transforms.pipeline import check
    from somd.transforms.plan.explain import explain as words

    plan = check(function_of(method), found)
    yield words(plan)
    yield ""
    arguments = _arguments(method, found, signature)
    given = ", ".join(f"{name}: {kind}" for name, kind in arguments.items())
    how = "" if signature is not None or method.signatures else ", as the source suggests"
    yield f"targets, for {given}{how}"
    applying = yield from _targets(method, found, arguments)
    for known, compiled in applying:
        yield from known.explained(compiled)


def _targets(
    method: Method, found: Reach, arguments: Mapping[str, Type]
) -> Generator[str, None, list[tuple[Target, Compiled]]]:
    """A line for each target; those that apply."""
    from somd.transforms.pipeline import compile_for, module_text

    try:
        compiled = compile_for(function_of(method), arguments, {}, found)
    except SomdCompileError as error:
        first = error.diagnostics[0]
        yield from (f"  {name}: does not apply: {first.message} [{first.code}]" for name in TARGETS)
        return []
    applying = []
    for name in TARGETS:
        try:
            module_text(compiled, name)
        except TargetLacks as lack:
            yield f"  {name}: does not apply: {lack} [{lack.code}]"
            continue
        problem = target_of(name).problem()
        here = "" if problem is None else f", but cannot be used here: {problem.splitlines()[0]}"
        yield f"  {name}: applies{here}"
        applying.append((target_of(name), compiled))
    return applying
