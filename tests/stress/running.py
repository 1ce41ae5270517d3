"""Runs programs in processes of their own, with a threading layer and a cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALL = bool(os.environ.get("SOMD_ALL_CASES"))
#: what a process may take, in seconds
LIMIT = 120
#: the warning of a cache that cannot be used, with its line; and what TBB says when it is forked in a state in which it
#: cannot end its threads: the child then makes no use of it
EXPECTED = (
    "SomdCacheWarning: somd's cache in ",  # and the line at which it was given
    "return _marked(function",
    "return self._run(settings",
    "Unable to join threads to shut down before fork",
    "Attempted to fork from a non-main thread",
    "leaked semaphore objects",  # of Numba's, in a process that forked before its first call, from Python 3.14 on
    "warnings.warn(",
)
#: the programs that call in some state of the process; those of a line can follow each other in one process
TOGETHER = (
    ("threads", "pool", "beside_prange", "exceptions", "mask"),
    ("fork", "fork_in_thread", "process_pool"),
    ("fork_first",),
    ("fork_beside_calls",),
    ("interrupt", "interrupt_small", "interrupt_beside_threads", "handlers", "interrupt_anywhere"),
)
LIVE = tuple(name for names in TOGETHER for name in names)
#: those that compile, each with a cache of its own
FRESH = ("interrupt_compiling", "interrupt_compilers")


#: where the `tbb` package puts its libraries, out of the loader's sight
LIBRARIES = Path(sys.prefix, "lib")


def layers() -> tuple[str, ...]:
    """The threading layers that can be had here."""
    return ("omp", "tbb", "workqueue") if (LIBRARIES / "libtbb.so.12").exists() else ("omp", "workqueue")


#: the programs that depend on the layer most
ON_ALL_LAYERS = (("threads", "exceptions", "interrupt"), ("fork", "fork_beside_calls"))


def start(names: tuple[str, ...], layer: str, cache: Path) -> subprocess.Popen[str]:
    """A process that runs programs one after the other."""
    environment = {
        **os.environ,
        "NUMBA_THREADING_LAYER": layer,
        "NUMBA_NUM_THREADS": "2",
        "SOMD_CACHE_DIR": str(cache),
        "SOMD_TARGET": "multicore",
        "SOMD_WORKERS": "2",
        "PYTHONPATH": str(ROOT),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(LIBRARIES), os.environ.get("LD_LIBRARY_PATH")))),
    }
    command = [sys.executable, "-m", "tests.stress.programs", *names]
    return subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def ended_well(process: subprocess.Popen[str]) -> None:
    """Wait for a process; it must end well, and print nothing."""
    try:
        text, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        raise AssertionError(f"did not end in {LIMIT} seconds\n{text}") from None
    assert process.returncode == 0, f"ended with status {process.returncode}\n{text}"
    told = [line for line in text.splitlines() if line and not any(part in line for part in EXPECTED)]
    assert not told, text


def run(names: str | tuple[str, ...], layer: str, cache: Path) -> None:
    """Run a program, or some in one process; it must end well."""
    ended_well(start((names,) if isinstance(names, str) else names, layer, cache))


# --- the cache -------------------------------------------------------------------------------------------------------


def filled(processes: int, layer: str, cache: Path) -> None:
    """Several processes fill an empty cache at once."""
    for process in [start(("call",), layer, cache) for _ in range(processes)]:
        ended_well(process)
    run("call", layer, cache)
    assert not list(cache.rglob("*.tmp")), "a temporary file is left"


def damaged(layer: str, cache: Path) -> None:
    """Every file of the cache is damaged, one in this way and the next in that; an empty cache is filled before."""
    if not any(cache.iterdir()):
        run("call", layer, cache)
    ways = (_cut_off, _garbled, _emptied, _changed)
    for shift in (0, 1) if ALL else (0,):
        for number, path in enumerate(sorted(path for path in cache.rglob("*") if path.is_file())):
            path.write_bytes(ways[(number + shift) % len(ways)](path.read_bytes()))
        run("call", layer, cache)


def _cut_off(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _garbled(data: bytes) -> bytes:
    return bytes(range(256)) * (len(data) // 256 + 1)


def _emptied(data: bytes) -> bytes:
    return b""


def _changed(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(255 - byte for byte in data[middle : middle + 8]) + data[middle + 8 :]


def read_only(layer: str, cache: Path) -> None:
    """A cache in which nothing can be written: where its folder should be there is a file, which stops root as well."""
    cache.rmdir()
    cache.write_bytes(b"")
    run("call", layer, cache)
    cache.unlink()
    cache.mkdir(0o500)
    if os.geteuid() != 0:  # whom it does not stop
        run("call", layer, cache)
    cache.chmod(0o700)


def full(layer: str, cache: Path) -> None:
    """A full disk."""
    run("no_room", layer, cache)


def deleted(layer: str, cache: Path) -> None:
    """A cache that is deleted while a process runs."""
    run("cache_deleted", layer, cache)


def and_again(names: str | tuple[str, ...], layer: str, cache: Path) -> None:
    """Programs that compile, and what they left in the cache used by another process."""
    run(names, layer, cache)
    run("mask", layer, cache)


CACHES: dict[str, Callable[[str, Path], None]] = {
    "filled_at_once": partial(filled, 4),
    **{function.__name__: function for function in (damaged, read_only, full, deleted)},
    **{name: partial(and_again, name) for name in FRESH},
}


@contextmanager
def fresh_cache() -> Iterator[Path]:
    """A block with an empty folder for a cache."""
    folder = Path(tempfile.mkdtemp(prefix="somd-stress-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
