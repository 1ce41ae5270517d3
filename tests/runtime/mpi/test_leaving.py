"""A rank that fails, leaves or does something else ends the job, with the cause; nobody waits for ever."""

from __future__ import annotations

import pytest

from tests.runtime.mpi.launching import started, unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
#: what rank 1 does -> among how many ranks, and what is said
CAUSES = {
    "raise": (2, ("RuntimeError: rank 1 fails",)),
    "exit": (3, ("SOMD612", "rank 1 has ended its program")),
    "kill": (2, ()),
    "interrupt": (2, ("leaving.py", "line 26")),  # MPICH and Intel's MPI leave it to Python, Open MPI sends SIGTERM
    "differ": (
        2,
        (
            "SOMD611",
            "rank 0 calls `sweep(float64[9, 9], 1.5, 2)`",
            "rank 1 calls `vector_add",
            "rank 1 calls `sweep(float64[9, 9], 1.25, 2)`",
        ),
    ),
}


@pytest.mark.parametrize("what", CAUSES)
@pytest.mark.usual(3)
def test_a_rank_that_does_something_else(what: str) -> None:
    ranks, causes = CAUSES[what]
    when = "now" if what == "interrupt" else None
    done = started(ranks, "-m", "tests.runtime.mpi.leaving", what, timeout=120, interrupted_at=when)
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    assert "came to the end" not in said
    for cause in causes:
        assert cause in said
