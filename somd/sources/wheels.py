"""Wheels whose SOMD methods need no compiler where they are installed.

In: a wheel. Out: the same wheel with a folder `__somd__` beside each module that has SOMD methods, for the generated
modules of the declared signatures (see `somd.cache.shipped`). Its name stays, its RECORD is written anew.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from somd.cache.shipped import FOLDER, shipped_file
from somd.calls.specialisations import TargetUnavailable, declared_arguments, generated_text
from somd.capture.attributes import NotKnownYet
from somd.errors import SomdCompileError, SomdError
from somd.settings.targets import target_of
from somd.sources.building import Built
from somd.sources.load import Method, function_of, load
from somd.sources.translation import described, reach_of, signatures_of


@dataclass(frozen=True)
class NotBuilt:
    """A method, or a signature of it, of which the wheel gets nothing, and why."""

    qualname: str
    why: str


class BadWheel(SomdError):
    """The file is no wheel."""


def add_to_wheel(wheel: Path, targets: Sequence[str], levels: Sequence[str] = ()) -> Iterator[Built | NotBuilt]:
    """Write the modules of a wheel's methods into it, with machine code for these levels of processors, of targets that
    have some; what is written, and what is not, comes out.

    Raises:
        BadWheel: the file is no wheel.
        OSError: it cannot be written.
        FileProblem: a module of it cannot be imported.
    """
    with tempfile.TemporaryDirectory(prefix="somd-wheel-") as name:
        folder = Path(name)
        try:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
                names = [name for name in archive.namelist() if FOLDER not in PurePosixPath(name).parts]
        except (OSError, zipfile.BadZipFile) as error:
            raise BadWheel(f"{wheel}: not a wheel: {error}") from None
        record = next((n for n in names if n.endswith(".dist-info/RECORD")), None)
        if record is None:
            raise BadWheel(f"{wheel}: not a wheel: it has no RECORD")
        added: dict[str, bytes] = {}
        sources: list[Path] = []
        for module in names:
            source = folder / module
            if (
                not module.endswith(".py")
                or FOLDER in PurePosixPath(module).parts
                or b"somd" not in source.read_bytes()
            ):
                continue
            for method in load(source, whole=True).methods:
                for done in _method(method, targets):
                    if isinstance(done, tuple):
                        built, (file, text) = done
                        added[str(PurePosixPath(module).parent / FOLDER / file)] = text.encode()
                        sources += [source] if source not in sources else []
                        yield built
                    else:
                        yield done
        for level in levels:
            yield from _with_code(level, targets, sources, added)
        _rewrite(wheel, folder, [n for n in names if n != record], added, record)


def _method(method: Method, targets: Sequence[str]) -> Iterator[tuple[Built, tuple[str, str]] | NotBuilt]:
    function = function_of(method)
    name = function.__qualname__
    try:
        found = reach_of(method)
    except NotKnownYet as path:
        yield NotBuilt(name, f"what `{path}` is depends on the object of a call")
        return
    for signature in signatures_of(method):
        for target in targets:
            try:
                arguments = declared_arguments(function, found, signature)
                texts = tuple(described(kind) for kind in arguments.values())
                text = generated_text(function, found, target, arguments)
            except (TargetUnavailable, SomdCompileError) as error:
                if signature is None and isinstance(error, SomdCompileError):
                    yield NotBuilt(
                        name, 'its types are not known: declare them, `@somd(signatures=["float64[:], ..."])`'
                    )
                    break
                yield NotBuilt(name, f"for {target}: {str(error).splitlines()[0]}")
                continue
            file = shipped_file(function, found, target, texts, text)
            if file is not None:
                yield Built(name, target, texts, signature is None), file


def _with_code(
    level: str, targets: Sequence[str], sources: Sequence[Path], added: dict[str, bytes]
) -> Iterator[NotBuilt]:
    """Add machine code of the modules for a level of processors, which another process compiles: one compiles for one.

    Code belongs to the modules with the text that it was compiled of.
    """
    target = next(name for name in targets if level in target_of(name).levels())
    place = target_of(target).code
    assert place is not None
    with tempfile.TemporaryDirectory(prefix="somd-code-") as cache:
        environment = {**os.environ, **target_of(target).levels()[level], "SOMD_CACHE_DIR": cache}
        command = [sys.executable, "-m", "somd", "build", "--target", target, *map(str, sources)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        made = {path.read_bytes(): path for path in Path(cache).rglob("*.py")}
        for file, text in [*added.items()]:
            module = made.get(text)
            if module is None:
                continue
            codes = list((module.parent / place[0]).glob(f"{module.stem}.*{place[1]}"))
            for code in codes:
                beside = PurePosixPath(file).with_name(PurePosixPath(file).stem + code.name.removeprefix(module.stem))
                added[str(beside)] = code.read_bytes()
            if not codes:
                yield NotBuilt(PurePosixPath(file).stem, f"no machine code for {level}: {done.stderr.strip()[-300:]}")


def _rewrite(wheel: Path, folder: Path, kept: Sequence[str], added: dict[str, bytes], record: str) -> None:
    """Write the wheel anew, by way of a temporary file beside it."""
    rows = io.StringIO()
    listing = csv.writer(rows, lineterminator="\n")
    handle, temporary = tempfile.mkstemp(dir=wheel.parent, suffix=".whl.tmp")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in [*kept, *added]:
                if name.endswith("/"):
                    continue
                data = added[name] if name in added else (folder / name).read_bytes()
                archive.writestr(_entry(name), data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                listing.writerow((name, f"sha256={digest}", len(data)))
            listing.writerow((record, "", ""))
            archive.writestr(_entry(record), rows.getvalue())
        os.chmod(temporary, wheel.stat().st_mode & 0o777)
        os.replace(temporary, wheel)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _entry(name: str) -> zipfile.ZipInfo:
    """A member with a date of its own, so that the same sources give the same wheel."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    return info
