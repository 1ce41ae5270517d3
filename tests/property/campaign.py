"""Runs many generated programs and tells what differs from plain Python.

    python -m tests.property.campaign --target multicore --count 3000 --seed 1 --processes 8 --out found

Program numbers are `seed * 1000000` and following. `--generator mixed` (the default) writes programs of many topics
(`tests.property.mixed`), `changes` methods that are called again after what they mention was rebound
(`tests.property.changing`), `affine` those of `tests.property.programs`, which are judged in the interpreter:
there a refusal is compared with what the iterations really do. Targets: `plan`, `multicore`, `opencl`. What
differs, fails, hangs or dies is written to the folder `--out`, a file a program, as small as it could be made, to be
run by itself; the exit status is then 1. On devices that share each call, however small, here those of PoCL:

    POCL_DEVICES="pthread pthread" python -m tests.property.campaign --target opencl --devices portable:0 portable:1

With `--ranks 2,3` ranks share each call besides, which are threads (`tests.property.of_ranks`); with
`--stay` arrays stay distributed, however small.
With `--steps scan,claimed` programs are made of these steps alone, `--workers 1,50` names numbers of workers, and
`--short` makes strips and blocks of scans short (`tests.property.narrowed`).
With `--fastmath` methods have it (`tests.property.contracted`).
With `--as-gpu` kernels have the forms on a CPU that they have on GPUs (`tests.property.gpu_forms`).
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import somd
from tests.property import examining
from tests.property.changing import Changing, changing, examine_changes
from tests.property.contracted import contracted
from tests.property.examining import Examined, examine
from tests.property.gpu_forms import gpu_forms
from tests.property.judgement import Judgement, judge
from tests.property.many import Lost, each
from tests.property.mixed import Mixed, mixed
from tests.property.narrowed import narrowed
from tests.property.programs import program
from tests.property.reducing import reduced, write

BAD = ("differs", "failed", "hangs", "died")
#: programs after which a process is renewed; on several devices, as PoCL 3.0 dies of many kernels (decision 28)
RENEWED, RENEWED_ON_DEVICES = 200, 40


def report(found: list[Judgement]) -> str:
    """Counts, rates and compile times of affine programs."""
    counts = Counter(j.verdict for j in found)
    codes = Counter(f"{j.verdict} {j.code}" for j in found if j.code)
    independent = counts["accepted"] + counts["wrong"] + counts["false refusal"]
    times = sorted((j.seconds, j.number) for j in found if j.seconds)
    lines = [f"{len(found)} programs: " + ", ".join(f"{v} {n}" for v, n in counts.most_common())]
    lines.append(", ".join(f"{code}: {n}" for code, n in codes.most_common()))
    if independent:
        lines.append(f"of {independent} independent ones accepted: {1 - counts['false refusal'] / independent:.2%}")
    if times:
        median = statistics.median(seconds for seconds, _ in times)
        lines.append(
            f"front end and analysis: median {median:.3f} s, worst {times[-1][0]:.3f} s (program {times[-1][1]})"
        )
    return "\n".join(lines)


def table(found: Sequence[Examined]) -> str:
    """Verdicts, codes of refusals, and for each feature how many programs have it and were accepted."""
    verdicts = Counter(e.verdict.split()[0] for e in found)
    codes = Counter(e.code for e in found if e.verdict == "refused")
    in_calls: Counter[str] = Counter()
    for e in found:
        in_calls.update(e.refused_calls)
    lines = [f"{len(found)} programs: " + ", ".join(f"{v} {n}" for v, n in verdicts.most_common())]
    ran, undefined, raised = (
        sum(values) for values in zip(*((e.calls, e.undefined, e.raised) for e in found), strict=True)
    )
    lines.append(f"calls: {ran} compared, {raised} of them raise, {undefined} about which nothing is promised")
    lines.append("programs refused: " + ", ".join(f"{code} {n}" for code, n in codes.most_common()))
    lines.append("calls refused: " + ", ".join(f"{code} {n}" for code, n in in_calls.most_common()))
    times = sorted((e.seconds, e.number) for e in found)
    if times:
        median = statistics.median(seconds for seconds, _ in times)
        lines.append(f"seconds a program: median {median:.1f}, worst {times[-1][0]:.1f} (program {times[-1][1]})")
    lines.append(f"{'feature':28}{'programs':>9}{'ran':>7}{'':5}refused in its lines")
    have = Counter(feature for e in found for feature in e.features)
    ran_with = Counter(feature for e in found if e.verdict != "refused" for feature in e.features)
    blamed = Counter(feature for e in found for feature in e.refused_features)
    for feature, count in sorted(have.items()):
        lines.append(f"{feature:28}{count:9}{ran_with[feature]:7} {ran_with[feature] / count:4.0%} {blamed[feature]:8}")
    return "\n".join(lines)


def run(generator: str, options: argparse.Namespace, numbers: Sequence[int]) -> list[Examined]:
    """Examine the programs of these numbers; what is not as it should be goes to files in the folder `out`."""
    found: list[Examined] = []
    last = time.monotonic()
    work = _on(
        options, functools.partial(examine_changes if generator == "changes" else examine, target=options.target)
    )
    renewed = RENEWED_ON_DEVICES if options.devices else RENEWED
    for number, result in each(work, numbers, options.processes, options.seconds, renewed):
        if isinstance(result, Lost):
            known = changing(number).features if generator == "changes" else sorted(mixed(number).features)
            result = Examined(number, result.what, "", list(known), details=[result.what], seconds=options.seconds)
        found.append(result)
        if result.verdict.startswith((*BAD, "doubtful")):
            print(f"# {number} {result.verdict}: {result.details[0][-600:]}", flush=True)
        if result.verdict.startswith(BAD):
            if options.out is not None and generator == "changes":
                _write_changes(options.out, changing(number), options.target, result)
            elif options.out is not None:
                write(options.out, mixed(number), options.target, result)
        if options.every and time.monotonic() - last > options.every:
            last = time.monotonic()
            print(f"{len(found)} of {len(numbers)}, {sum(e.verdict.startswith(BAD) for e in found)} bad", flush=True)
    return found


def _on(options: argparse.Namespace, work: Callable[[int], Any]) -> Callable[[int], Any]:
    work = functools.partial(_as_gpu, work=work) if options.as_gpu else work
    if options.fastmath:
        work = functools.partial(_contracted, work=work, exact=options.target == "opencl")
    workers = tuple(map(int, options.workers.split(",")))
    if options.steps or options.short or workers != examining.WORKERS:
        steps = tuple(options.steps.split(",")) if options.steps else ()
        work = functools.partial(_narrowed, work=work, steps=steps, workers=workers, short=options.short)
    sizes = tuple(map(int, options.ranks.split(","))) if options.ranks else ()
    work = functools.partial(_on_ranks, work=work, sizes=sizes, stay=options.stay) if sizes else work
    return functools.partial(_on_devices, work=work, devices=tuple(options.devices)) if options.devices else work


def _as_gpu(number: int, work: Callable[[int], Any]) -> Any:
    with gpu_forms():
        return work(number)


def _contracted(number: int, work: Callable[[int], Any], exact: bool) -> Any:
    with contracted(exact):
        return work(number)


def _narrowed(
    number: int, work: Callable[[int], Any], steps: tuple[str, ...], workers: tuple[int, ...], short: bool
) -> Any:
    with narrowed(steps, workers, short):
        return work(number)


def _on_ranks(number: int, work: Callable[[int], Any], sizes: tuple[int, ...], stay: bool) -> Any:
    from somd.runtime.opencl.several import parts
    from tests.property.of_ranks import staying

    with patch.object(examining, "RANKS", sizes), patch.object(parts, "FEW", 0), staying() if stay else nullcontext():
        return work(number)


def _on_devices(number: int, work: Callable[[int], Any], devices: tuple[str, ...]) -> Any:
    from somd.runtime.opencl.several import parts

    with somd.use(device=devices), patch.object(parts, "FEW", 0):
        return work(number)


def _write_changes(out: Path, made: Changing, target: str, found: Examined) -> None:
    out.mkdir(parents=True, exist_ok=True)
    detail = "".join(f"# {line}\n" for line in f"{target}: {found.verdict}. {found.details[0]}".split("\n")[:40])
    changes = "".join(f"method(a, b)\n{change}\n" for change in made.changes)
    text = f"{detail}{made.text}\n\na, b = np.arange(12) / 4.0, np.zeros(12)\n{changes}method(a, b)\n"
    (out / f"changes_{target}_{made.number}.py").write_text(text, encoding="utf-8")


def _reduced(number: int, target: str) -> tuple[Examined, Mixed]:
    return reduced(number, target)


def reduce(options: argparse.Namespace, bad: Sequence[Examined]) -> None:
    """Write smaller forms of programs that differ or fail."""
    target = options.target
    numbers = [e.number for e in bad if e.verdict in ("differs", "failed")]
    work = _on(options, functools.partial(_reduced, target=target))
    for _, result in each(work, numbers, options.processes, 600.0):
        if not isinstance(result, Lost) and result[0].verdict in ("differs", "failed"):
            print(f"smaller: {write(options.out, result[1], target, result[0])}", flush=True)


def _affine(options: argparse.Namespace, numbers: Sequence[int]) -> None:
    found = []
    work = functools.partial(judge, aliased=options.aliased)
    for number, judgement in each(work, numbers, options.processes, options.seconds):
        if judgement is None:
            continue
        if isinstance(judgement, Lost):
            judgement = Judgement(number, "crash", details=[judgement.what])
        found.append(judgement)
        if judgement.verdict in ("wrong", "crash", "false refusal"):
            print(f"# {number}: {judgement.verdict} {judgement.details}", flush=True)
            if options.out is not None:
                options.out.mkdir(parents=True, exist_ok=True)
                comment = "".join(f"# {line}\n" for each in judgement.details for line in each.split("\n"))
                (options.out / f"affine_{number}.py").write_text(comment + program(number).text, encoding="utf-8")
    print(report(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", choices=("mixed", "changes", "affine"), default="mixed")
    parser.add_argument("--target", choices=("plan", "multicore", "opencl"), default="plan")
    parser.add_argument("--devices", nargs="*", help="opencl: as the configuration names them; several share each call")
    parser.add_argument("--as-gpu", action="store_true", help="opencl: kernels have the forms of GPUs on a CPU, too")
    parser.add_argument("--steps", default="", help="mixed: steps that programs are made of, and nothing else")
    parser.add_argument("--workers", default="1,2,3,7", help="mixed: numbers of workers")
    parser.add_argument("--fastmath", action="store_true", help="mixed: methods have fastmath")
    parser.add_argument("--short", action="store_true", help="mixed: strips and blocks of scans are short")
    parser.add_argument("--ranks", default="", help="mixed: numbers of ranks that share each call besides")
    parser.add_argument("--stay", action="store_true", help="with --ranks: small arrays stay distributed, too")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the first number within the seed's")
    parser.add_argument("--only", type=int, nargs="*", help="programs of these numbers alone")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=180.0, help="that a program may take")
    parser.add_argument("--out", type=Path, help="a folder for what is not as it should be")
    parser.add_argument("--smaller", type=int, default=40, help="so many bad programs at most are made smaller")
    parser.add_argument("--as-they-are", action="store_true", help="do not make programs smaller")
    parser.add_argument("--every", type=int, default=60, help="seconds between two lines of progress")
    parser.add_argument("--aliased", action="store_true", help="affine: pass one array for two parameters")
    options = parser.parse_args()
    if options.generator == "changes" and options.target == "plan":
        parser.error("changes show in calls alone: give `--target multicore` or `--target opencl`")
    first = options.seed * 1_000_000 + options.first
    numbers = options.only or range(first, first + options.count)
    own = tempfile.mkdtemp()
    os.environ["SOMD_CACHE_DIR"] = own
    try:
        if options.generator == "affine":
            _affine(options, numbers)
        else:
            found = run(options.generator, options, numbers)
            print(table(found), flush=True)
            bad = [e for e in found if e.verdict.startswith(BAD)]
            if bad and options.out is not None and options.generator == "mixed" and not options.as_they_are:
                reduce(options, bad[: options.smaller])
            raise SystemExit(1 if bad else 0)
    finally:
        shutil.rmtree(own, ignore_errors=True)


if __name__ == "__main__":
    main()
