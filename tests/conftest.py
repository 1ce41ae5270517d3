"""Tests keep what they compile beside pytest's own cache, not in the user's cache folder."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.usual import ALL, of_usual_run

HERE = Path(__file__).parent

# threads that wait for work must not take the cores from the tests beside them
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# PoCL shows as many devices as this names: for calls on several
os.environ.setdefault("POCL_DEVICES", "pthread pthread pthread")
# tests are small, and must be divided all the same
os.environ.setdefault("SOMD_SMALL_WORK", "0")
# processes that tests start must not compile the package's source anew, each for itself
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("SOMD_CACHE_DIR", str(HERE.parent / ".pytest_cache" / "somd"))

# compilers make many objects, most of which stay: by default the collector looks for garbage for a tenth of the time,
# and while methods are decorated it finds next to none
gc.set_threshold(50_000, 20, 20)
gc.disable()

importlib.import_module("tests.trials")  # which notes where the cache is before a test sets another


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write golden files from what the compiler says now")


def pytest_collection(session: pytest.Session) -> None:
    """The processes of a run import the tests from both ends: what one has checked already, the cache tells the others.

    What cannot be imported is imported again where it is collected, and tells why.
    """
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] not in "13579":
        return
    given = [session.config.invocation_params.dir / arg.partition("::")[0] for arg in session.config.args]
    files = {file for path in given for file in (path.rglob("test_*.py") if path.is_dir() else [path])}
    for file in sorted(files, reverse=True):
        if file.is_relative_to(HERE):
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(file.relative_to(HERE.parent).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of the usual run, but where tests are named one by one.

    Checkers of types take seconds each: as the last tests they would leave the other processes without work.
    """
    if not ALL and not any("::" in arg for arg in config.args):
        taken = {item for item, usual in of_usual_run(items) if usual}
        config.hook.pytest_deselected(items=[item for item in items if item not in taken])
        items[:] = [item for item in items if item in taken]
    items.sort(key=lambda item: item.path.parent != HERE / "typing")


def pytest_collection_finish() -> None:
    """What the tests import stays: the collector need not go through it."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Nor need pytest, which looks for garbage twice as it ends, in all that the tests have compiled."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_binaries_of_pocl() -> Iterator[None]:
    """PoCL compiles each kernel anew for a binary: `test_programs.py` alone asks for some, others use PoCL's cache."""
    from somd.runtime.opencl import binaries

    kept = binaries.kept
    with patch.object(binaries, "kept", lambda info: kept(info) and not info.is_pocl):
        yield


@pytest.fixture(scope="module")
def one_at_a_time() -> Iterator[None]:
    """Intel's compiler makes no vectors of work-items, which take half of its time; with SOMD_ALL_CASES set it does.

    For kernels whose features the corpus runs with vectors. Where tiles are forced upon a CPU, bits differ so.
    """
    if ALL or importlib.util.find_spec("pyopencl") is None:
        yield
        return
    from somd.runtime.opencl import programs

    one, careful = "__attribute__((intel_vec_len_hint(1)))", programs._CAREFUL
    assert one in careful
    careful = careful.replace(f"ONE_AT_A_TIME {one}", "ONE_AT_A_TIME")
    with patch.object(programs, "_CAREFUL", f"#define __kernel kernel {one}\n{careful}"):
        yield
