"""A plugin for pytest: `@pytest.mark.somd` runs a test on every target, each call checked against plain Python.

    @pytest.mark.somd
    def test_vector_add() -> None:
        assert list(vector_add(np.ones(3), np.ones(3))) == [2.0, 2.0, 2.0]

The test runs on every target: once for each number of workers, or once where devices divide the work themselves. Every
call of a SOMD method in it is also made as plain Python, on copies of the arguments: result and arguments must be the
same. So do the methods of `unittest.TestCase`, and of a class with the marker. A target that cannot be used here, or
lacks what a method needs, skips the test with the reason. Options of the marker: `targets`, `workers`, `rtol`. somd
itself is imported when the first test with the marker is found.
"""

from __future__ import annotations

import sys
import unittest
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest

MARKER = "somd(targets=None, workers=(1, 2, 7), rtol=None)"


_RUN = pytest.StashKey["Run"]()


class Run(NamedTuple):
    """One run of a test: what `somd_run` gives."""

    target: str
    workers: int
    rtol: float | None


def pytest_configure(config: pytest.Config) -> None:
    text = "run the test on every target, with each call checked against the function as written"
    config.addinivalue_line("markers", f"{MARKER}: {text}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("somd")
    if marker is None and "somd_run" not in metafunc.fixturenames:
        return
    if "somd_run" not in metafunc.fixturenames:
        metafunc.fixturenames.append("somd_run")
    metafunc.parametrize("somd_run", list(_runs(marker.kwargs if marker else {})), indirect=True, ids=_name)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Methods of `unittest.TestCase`, which pytest does not parametrise: one item for each run in place of theirs."""
    items[:] = [each for item in items for each in _items(item)]


def _items(item: pytest.Item) -> Iterator[pytest.Item]:
    marker = item.get_closest_marker("somd")
    if marker is None or not isinstance(item, pytest.Function) or not _of_test_case(item):
        yield item
        return
    for run in _runs(marker.kwargs):
        each: pytest.Item = _with_run(type(item)).from_parent(item.parent, name=item.name)
        each.extra_keyword_matches.add(_name(run))
        each.stash[_RUN] = run
        yield each


@cache
def _with_run(kind: Any) -> Any:
    """The items of `kind` with their run in their id: their `name` is that of the method, which unittest calls."""

    def nodeid(item: pytest.Item) -> str:
        run = item.stash.get(_RUN, None)
        plain: str = kind.nodeid.__get__(item)
        return plain if run is None else f"{plain}[{_name(run)}]"

    def structured(item: pytest.Item) -> Any:
        run, plain = item.stash.get(_RUN, None), kind.id.__get__(item)
        return plain if run is None else replace(plain, params=_name(run))

    ids = {"nodeid": property(nodeid), **({"id": property(structured)} if hasattr(kind, "id") else {})}
    return type(kind)(kind.__name__, (kind,), ids)


def _of_test_case(item: pytest.Function) -> bool:
    return item.cls is not None and issubclass(item.cls, unittest.TestCase)


def _runs(options: Mapping[str, Any]) -> Iterator[Run]:
    unknown = options.keys() - {"targets", "workers", "rtol"}
    if unknown:
        raise pytest.UsageError(f"pytest.mark.{MARKER} has no option {min(unknown)!r}")
    from somd.settings.targets import TARGETS

    targets, workers = options.get("targets"), options.get("workers", (1, 2, 7))
    workers = (workers,) if isinstance(workers, int) else tuple(workers)
    for target in (targets,) if isinstance(targets, str) else targets or TARGETS:
        for number in workers if _uses_workers(target) else workers[:1]:
            yield Run(target, number, options.get("rtol"))


def _uses_workers(target: str) -> bool:
    from somd.settings.targets import TARGETS, target_of

    return target in TARGETS and target_of(target).uses_workers


def _name(run: Run) -> str:
    return f"{run.target}-{run.workers}" if _uses_workers(run.target) else run.target


@pytest.fixture
def somd_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run of a test under `pytest.mark.somd`; asking for it is as good as the marker."""
    import somd
    from somd.checking.testing import checked_calls

    given = request.node.stash.get(_RUN, None)
    run: Run = request.param if given is None else given
    if run.target not in somd.targets():
        raise pytest.UsageError(f"pytest.mark.{MARKER}: there is no target {run.target!r}")
    reason = somd.targets()[run.target]
    if reason is not None:
        pytest.skip(reason)
    with checked_calls(run.target, run.workers, run.rtol):
        yield run


@pytest.fixture(autouse=True)
def _somd_marked(request: pytest.FixtureRequest) -> None:
    """Gives tests with the marker their run, before their other fixtures."""
    if request.node.get_closest_marker("somd") is not None:
        request.getfixturevalue("somd_run")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    try:
        return (yield)
    except Exception as error:
        testing = sys.modules.get("somd.checking.testing")
        if testing is not None and isinstance(error, testing.FellBack):
            pytest.skip(str(error))
        raise
