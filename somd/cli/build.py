"""`somdc build`: declared signatures compiled into the caches, or added to a wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import typer

from somd.calls.specialisations import TargetUnavailable
from somd.capture.attributes import NotKnownYet
from somd.cli.output import Problem, complain, progress, remark, say, shortened
from somd.cli.targets import ALL, choice, chosen
from somd.cli.translate import loaded_methods
from somd.errors import SomdError
from somd.settings.config import Settings, settings_for
from somd.settings.targets import target_of
from somd.sources.load import Method, function_of


def build(
    paths: list[str] = typer.Argument(help="Files, folders, FILE:FUNCTION, or wheels.", metavar="PATH..."),
    target: str | None = choice(None, "--target", "For this target; otherwise the configured one.", after=(ALL,)),
    signature: str | None = typer.Option(None, "--signature", help='Argument types, such as "float32[:], int64".'),
    wheel: bool = typer.Option(
        False, "--wheel", help="Add the modules to wheels, or to the wheel of a project folder."
    ),
    cpu: list[str] | None = typer.Option(
        None, "--cpu", help="Machine code in the wheel, too, for this level: x86-64-v2, -v3 or -v4; several times."
    ),
) -> None:
    """Compile declared signatures ahead of the first call, into this user's caches or into a wheel.

    Methods without declared signatures are compiled for arrays of float64 where the source tells nothing else. The
    files are imported, so that all their top-level statements run.
    """
    if wheel:
        for path in paths:
            _wheel(_wheel_of(Path(path)), target, _levels(cpu, target))
        return
    if cpu:
        raise Problem("--cpu is for --wheel: code in the cache is for this processor")
    failed, built = False, 0
    given: list[str | None] = [signature] if signature is not None else []
    for _, methods in loaded_methods(paths):
        for method in methods:
            for text in given or list(method.signatures) or [None]:
                for each in chosen(target or _settings(method).target):
                    done = _one(method, each, text)
                    failed, built = failed or not done, built + done
    if not built and not failed:
        raise Problem("nothing could be built", 1)
    if failed:
        raise typer.Exit(1)


def _one(method: Method, target: str, signature: str | None) -> bool:
    """Build one specialisation and say so; False where that cannot be done."""
    from somd.sources import building
    from somd.sources.translation import reach_of

    function = function_of(method)
    settings = _settings(method)
    start = time.perf_counter()
    try:
        found = reach_of(method, signature)
        with progress(f"compiling {function.__qualname__} for {target}"):
            made = building.build(method, found, target, signature, settings.device_of(target))
    except NotKnownYet as path:
        complain(f"`{function.__qualname__}`: what `{path}` is depends on the object of a call: a call compiles it")
        return False
    except TargetUnavailable as reason:
        complain(f"[{reason.code}] `{function.__qualname__}` is not built for {target}: {str(reason).splitlines()[0]}")
        return False
    except (SomdError, AttributeError) as error:
        text = str(error)
        complain(text, bare=text.startswith("error["))
        return False
    spent = time.perf_counter() - start
    assumed = "  (no signature declared)" if made.assumed else ""
    say(f"{made.qualname}({', '.join(made.signature)}) for {target}: {spent:.1f} s{assumed}")
    return True


def _settings(method: Method) -> Settings:
    function = function_of(method)
    return settings_for(function.__qualname__, function.__module__, *method.options)


def _levels(given: list[str] | None, target: str | None) -> list[str]:
    known = [level for name in chosen(target) for level in target_of(name).levels()]
    for level in given or ():
        if level not in known:
            raise Problem(f"--cpu {shortened(level)}: there are {', '.join(known) or 'none for this target'}")
    return list(dict.fromkeys(given or ()))


def _wheel(wheel: Path, target: str | None, levels: list[str]) -> None:
    """Add generated modules to a wheel, and say which."""
    from somd.sources.wheels import BadWheel, NotBuilt, add_to_wheel

    count = 0
    try:
        for done in add_to_wheel(wheel, chosen(target), levels):
            if isinstance(done, NotBuilt):
                remark(f"note: `{done.qualname}`: {done.why}")
                continue
            count += 1
            say(f"{done.qualname}({', '.join(done.signature)}) for {done.target}")
    except BadWheel as error:
        raise Problem(str(error)) from None
    except OSError as error:
        raise Problem(f"cannot write {wheel}: {error.strerror or error}", 1) from None
    if not count:
        raise Problem(f"{wheel}: no SOMD method that could be built in this wheel", 1)
    code = f", with machine code for {', '.join(levels)}" if levels else ""
    say(f"{wheel}: {count} module{'s' if count != 1 else ''} added{code}")


def _wheel_of(path: Path) -> Path:
    """The wheel itself, or that of a project folder, which pip makes in its `dist`."""
    if path.suffix == ".whl":
        if not path.is_file():
            raise Problem(f"{path}: no such file")
        return path
    if not (path / "pyproject.toml").is_file() and not (path / "setup.py").is_file():
        raise Problem(f"{path}: neither a wheel nor a project folder (no pyproject.toml in it)")
    folder = path / "dist"
    before = {each: each.stat().st_mtime_ns for each in folder.glob("*.whl")}
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--wheel-dir", str(folder), str(path.absolute())]
    with progress(f"building a wheel of {path}"):
        done = subprocess.run([*command, "--no-build-isolation"], capture_output=True, text=True)
        if done.returncode != 0 and "No module named" in done.stderr:  # what builds it is not here: pip may fetch it
            fetched = subprocess.run([*command, "--retries", "1"], capture_output=True, text=True)
            done = fetched if fetched.returncode == 0 else done
    if done.returncode != 0:
        said = [line.strip(" │╰─>") for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in said if re.match(r"(\w+\.)*\w*[eE]rror: (?!subprocess-exited|metadata-)", line)]
        why = errors[-1] if errors else said[-1] if said else "no reason given"
        missing = re.match(r"ModuleNotFoundError: No module named '(\w+)", why)
        instead = f"install {missing[1]} here, or " if missing else ""
        raise Problem(f"pip made no wheel of {path}: {why}; {instead}build it yourself and give somdc the .whl", 1)
    made = [each for each in folder.glob("*.whl") if before.get(each) != each.stat().st_mtime_ns]
    if not made:
        raise Problem(f"pip made no wheel in {folder}", 1)
    return made[0]
