"""`somdc translate`: the readable modules of a file's methods, printed or written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from somd.calls.specialisations import TargetUnavailable
from somd.capture.attributes import NotKnownYet
from somd.cli.files import method_named, python_files, split_target
from somd.cli.output import Problem, complain, progress, remark, say
from somd.cli.targets import ALL, choice, chosen
from somd.errors import SomdCompileError, SomdError
from somd.settings.targets import DEFAULT
from somd.sources.load import Loaded, Method, function_of, load
from somd.sources.problems import FileProblem

#: what the first line of a file says that somd has written
MARK = "enerated by somd"


def translate(
    paths: list[str] = typer.Argument(help="Files, folders, or FILE:FUNCTION.", metavar="PATH..."),
    output: Path | None = typer.Option(None, "--output", "-o", help="The folder to write to; otherwise print."),
    target: str = choice(DEFAULT, "--target", "What to translate for.", after=(ALL,)),
    signature: str | None = typer.Option(None, "--signature", help='Argument types, such as "float32[:], int64".'),
) -> None:
    """Write the modules that the compiler makes: readable, and run with somd.runtime alone.

    A module for each method, declared signature and target; without declared signatures, for arrays of float64 where
    the source tells nothing else. The files are imported, so that all their top-level statements run.
    """
    written: dict[str, str] = {}
    failed = False
    for loaded, methods in loaded_methods(paths):
        for method in methods:
            with progress(f"translating {function_of(method).__qualname__}"):
                for made in _modules(method, chosen(target), signature):
                    if isinstance(made, str):
                        complain(made, bare=made.startswith(("error[", "warning")))
                        failed = failed or not made.startswith("warning")
                        continue
                    for name, text in made:
                        if written.get(name, text) != text:
                            raise Problem(f"two methods would be written to {name}: translate {loaded.path.name} alone")
                        written[name] = text
    if not written:
        raise typer.Exit(1) if failed else Problem("nothing could be translated", 1)
    _give(written, output)
    if failed:
        raise typer.Exit(1)


def loaded_methods(paths: Sequence[str], *, whole: bool = True) -> Iterator[tuple[Loaded, tuple[Method, ...]]]:
    """The methods of files and folders, or the one that `FILE:FUNCTION` names.

    Raises:
        Problem: a path is wrong, or there is no method.
    """
    seen = False
    for text in paths:
        path, name = split_target(text)
        for file in python_files([path]):
            if path.is_dir() and b"somd" not in _bytes(file):
                continue
            loaded = load(file, whole=whole)
            for unreached in loaded.unreached:
                remark(f"note: `{unreached.qualname}` ({file.name}:{unreached.line}) is left out: {unreached.why}")
            if name is not None:
                seen = True
                yield loaded, (method_named(loaded, file, name),)
            elif loaded.methods:
                seen = True
                last = {function_of(method).__qualname__: method for method in loaded.methods}
                yield loaded, tuple(last.values())
            elif not path.is_dir():
                raise Problem(f"{file}: no SOMD method in this file")
    if not seen:
        raise Problem(f"{', '.join(paths)}: no SOMD method in any file")


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileProblem(str(file), f"cannot read the file: {error.strerror}") from None


def _modules(
    method: Method, targets: Sequence[str], signature: str | None
) -> Iterator[str | tuple[tuple[str, str], ...]]:
    """The files of each module, or what to say where there is none."""
    from somd.sources.translation import reach_of, signatures_of, translate

    function = function_of(method)
    name = function.__qualname__
    try:
        found = reach_of(method, signature)
    except NotKnownYet as path:
        yield f"`{name}`: what `{path}` is depends on the object of a call: use its `source()` after a call"
        return
    except (SomdError, AttributeError) as error:
        yield str(error)
        return
    for number, text in enumerate([signature] if signature is not None else signatures_of(method), 1):
        for target in targets:
            try:
                made = translate(method, found, target, text, "" if number == 1 else f"_{number}")
            except TargetUnavailable as reason:
                kind = "warning" if len(targets) > 1 else "error"
                yield f"{kind}[{reason.code}]: `{name}` is not translated for {target}: {reason}"
            except SomdCompileError as error:
                yield str(error)
                return
            else:
                if made.assumed and target == targets[0]:
                    given = ", ".join(made.signature)
                    remark(f"note: `{name}` declares no signature: translated for ({given})")
                yield made.files


def _give(files: dict[str, str], output: Path | None) -> None:
    if output is None:
        for number, (name, text) in enumerate(files.items()):
            mark = "//" if name.endswith(".cl") else "#"
            say(("\n\n" if number else "") + f"{mark} {name}\n{text.rstrip()}")
        return
    write_files(output, files)
    for name in files:
        say(str(output / name))


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write files; those of the user's are left alone.

    Raises:
        Problem: the folder cannot be written, or a file in it is not one of somd's.
    """
    for name in files:
        path = folder / name
        if path.exists() and MARK not in _first_lines(path):
            raise Problem(f"{path} is there and was not generated by somd: move it, or choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with open(folder / name, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise Problem(f"cannot write to {folder}: {error.strerror or error}", 1) from None


def _first_lines(path: Path) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(2000)
    except OSError:
        return ""
