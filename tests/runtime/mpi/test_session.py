"""A rank that leaves an exchange before its end must not go on as if it knew what the others hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from somd.errors import SomdRuntimeError
from somd.runtime.mpi.agreement import begun
from somd.runtime.mpi.calling import begin
from somd.runtime.mpi.dry_run import DryWorld
from somd.runtime.mpi.holders import holding
from somd.runtime.mpi.session import Session, Shared, address_of
from somd.runtime.mpi.world import Bytes


class Interrupted(DryWorld):
    """Somebody presses Ctrl-C while a message is on its way."""

    def exchange(self, sends: Sequence[tuple[int, Bytes]], receives: Sequence[tuple[int, Bytes]]) -> None:
        raise KeyboardInterrupt


def test_an_interrupted_exchange() -> None:
    world = Interrupted(2)
    session, rows = Session(world, "step"), np.zeros((8, 3))
    shared = Shared(rows, 0, 2)
    shared.holders = holding(((0, 4), (4, 8)))
    session.given(shared)
    world.doing = "`step`"
    with pytest.raises(KeyboardInterrupt):
        session.rows(address_of(rows), 3, 5)
    with pytest.raises(SomdRuntimeError, match="rank 0 was interrupted in `step`, and does not know") as caught:
        begun(world, "norm", "`norm(float64[8, 3])`")
    assert caught.value.code == "SOMD612"


@pytest.mark.parametrize(("mode", "written"), [("r+", True), ("r+", False), ("c", True)])
def test_a_file_that_all_ranks_have_mapped(tmp_path: Path, mode: Any, written: bool) -> None:
    """What one rank writes others see at once, in rows that they have still to read, or write as well."""
    np.save(tmp_path / "a.npy", np.ones((8, 3)))
    rows = np.asarray(np.load(tmp_path / "a.npy", mmap_mode=mode))[2:]
    call = DryWorld(1), "step", "", (1.0, rows), (), (1,) if written else ()
    if mode == "r+" and written:
        with pytest.raises(SomdRuntimeError, match="`step` writes an array that is a file") as caught:
            begin(*call)
        assert caught.value.code == "SOMD309"
    else:
        begin(*call)
