"""A plugin for pytest: `@pytest.mark.somd` runs a test on every target, each call checked against plain Python.

    @pytest.mark.somd
    def test_vector_add() -> None:
        assert list(vector_add(np.ones(3), np.ones(3))) == [2.0, 2.0, 2.0]

The test runs once on multicore for each number of workers, and once on OpenCL. Every call of a SOMD method in it is
also made as plain Python, on copies of the arguments: result and arguments must be the same. A target that cannot be
used here, or lacks what a method needs, skips the test with the reason. Options of the marker: `targets`, `workers`,
`rtol`. somd itself is imported when the first test with the marker runs.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

MARKER = "somd(targets=('multicore', 'opencl'), workers=(1, 2, 7), rtol=None)"


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


def _runs(options: Mapping[str, Any]) -> Iterator[Run]:
    unknown = options.keys() - {"targets", "workers", "rtol"}
    if unknown:
        raise pytest.UsageError(f"pytest.mark.{MARKER} has no option {min(unknown)!r}")
    targets, workers = options.get("targets", ("multicore", "opencl")), options.get("workers", (1, 2, 7))
    workers = (workers,) if isinstance(workers, int) else tuple(workers)
    for target in (targets,) if isinstance(targets, str) else targets:
        for number in workers if target == "multicore" else workers[:1]:
            yield Run(target, number, options.get("rtol"))


def _name(run: Run) -> str:
    return f"{run.target}-{run.workers}" if run.target == "multicore" else run.target


@pytest.fixture
def somd_run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The run of a test under `pytest.mark.somd`; asking for it is as good as the marker."""
    import somd
    from somd.testing import checked_calls

    run: Run = request.param
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
        testing = sys.modules.get("somd.testing")
        if testing is not None and isinstance(error, testing.FellBack):
            pytest.skip(str(error))
        raise
