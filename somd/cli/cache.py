"""`somdc cache`: what is kept, how large it is, and why a method was compiled."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import typer

from somd.cache.files import MARKS, cached_files, foreign_folders, remove
from somd.cache.records import Record, current_parts, differences, records
from somd.cache.shipped import FOLDER, shipped_files
from somd.cli.explain import reached
from somd.cli.files import one_method
from somd.cli.output import Problem, complain, say, table
from somd.diagnostics.render import shown_path
from somd.runtime.folders import cache_folder, cache_problem
from somd.settings.config import cache_limits
from somd.settings.targets import TARGETS, target_of
from somd.sources.load import function_of

app = typer.Typer(help="What is kept from call to call: sizes, list, clear, why.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def sizes(context: typer.Context) -> None:
    """What is kept from call to call; without a command, where and how large it is."""
    if context.invoked_subcommand is None:
        size()


@app.command()
def size() -> None:
    """Say where the cache is, how large, and how large it may become."""
    say(str(cache_folder()))
    files = list(cached_files())
    kinds = {**{name: target_of(name).kept for name in TARGETS}, "verify": "what somdc verify has compiled", **MARKS}
    rows = [_row(kind, [each.size for each in files if each.kind == kind], what) for kind, what in kinds.items()]
    others: dict[tuple[str, str], list[int]] = {
        kind: [] for name in TARGETS for kind in target_of(name).foreign.items()
    }
    for folder, what in foreign_folders():
        others[folder.name, what] += [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    rows += [_row(name, sizes, what) for (name, what), sizes in others.items()]
    total = sum(each.size for each in files) + sum(map(sum, others.values()))
    say(table([*rows, ("total", "", in_words(total), "")], indent="  "))
    most, days = cache_limits()
    say(f"at most {in_words(most)}, nothing that was not used for {days:g} days (`[cache]` in somd.toml)")
    problem = cache_problem()
    if problem is not None:
        complain(f"the cache is not used: {problem}")


def _row(kind: str, sizes: list[int], what: str) -> tuple[str, str, str, str]:
    return kind, f"{len(sizes)} files", in_words(sum(sizes)), what


@app.command("list")
def listed() -> None:
    """List the generated modules, the newest first."""
    rows = []
    for record in records():
        place = f" ({shown_path(record.file)})" if record.file else ""
        signature = f"({', '.join(record.signature)})" if record.parts else ""
        rows.append((record.qualname + place, record.target, signature, _age(record.path), record.path.name))
    if not rows:
        say("no generated modules")
    else:
        say(table(rows))


@app.command()
def clear() -> None:
    """Remove all that somd keeps; it is made anew when it is needed. Files that are not somd's, or not yours, stay."""
    try:
        freed = remove(list(cached_files()))
        for folder, _ in foreign_folders():
            freed += sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
            shutil.rmtree(folder)
    except OSError as error:
        raise Problem(f"cannot remove {error.filename}: {error.strerror or error}", 1) from None
    say(f"{in_words(freed)} removed from {cache_folder()}")


@app.command()
def why(
    what: str = typer.Argument(help="A method in a file, or module.function.", metavar="FILE:FUNCTION"),
) -> None:
    """Say whether the next call of a method finds its module in the cache, and if not, what has changed.

    The file is imported, so that all its top-level statements run.
    """
    _, method = one_method(what, whole=True)
    function = function_of(method)
    found = reached(method)
    name = Path(function.__code__.co_filename).name
    mine = [r for r in records() if r.qualname == function.__qualname__ and Path(r.file).name == name]
    came, others = shipped_files(function, found)
    for module in came:
        code = " with machine code" if any(module.parent.glob(f"{module.stem}.*.nbc")) else ""
        say(f"`{function.__qualname__}` came with its package: {FOLDER}/{module.name}{code}{_told_by(module)}")
    if others and not came:
        say(f"the modules in {FOLDER} are of another source of `{function.__qualname__}`, or another version of somd")
    if not mine and came:
        return
    if not mine:
        say(f"`{function.__qualname__}` is not in the cache: no call and no `somdc build` has compiled it here")
        return
    seen: set[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]] = set()
    for record in mine:
        kind = (record.target, record.signature, record.aliases)
        if kind not in seen:
            seen.add(kind)
            parts = current_parts(function, found, record.target)
            if parts is None:
                raise Problem(f"the source of `{function.__qualname__}` is not available", 1)
            for line in _why(record, differences(record, parts)):
                say(line)


def _told_by(module: Path) -> str:
    """The target and the types of a generated module, as its first lines say them."""
    try:
        told = re.search(r", for (\w+)\.\s+Signature: (.*)\. Generated by", module.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return f", for {told[1]}: {told[2]}" if told is not None else ""


def _why(record: Record, different: list[str]) -> Iterator[str]:
    same = f", {' and '.join(f'{one} is {other}' for one, other in record.aliases)}" if record.aliases else ""
    head = f"{record.qualname}({', '.join(record.signature)}){same} on {record.target}"
    if different:
        yield f"{head}: compiled anew at the next call, since this has changed:"
        yield from (f"  {line}" for line in different)
        return
    yield f"{head}: in the cache, {record.path.name}"
    missing = target_of(record.target).not_cached(record.path)
    if missing is not None:
        yield f"  {missing}"


def in_words(size: float) -> str:
    """A size in bytes.

    >>> in_words(12), in_words(123456789)
    ('12 B', '117.7 MiB')
    """
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _age(path: Path) -> str:
    try:
        seconds = time.time() - path.stat().st_mtime
    except OSError:
        return ""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
