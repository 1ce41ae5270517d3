"""Who asks Python whether signals wait: the main thread, however busy others are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from somd.runtime.multicore import signals
signals._SLOTS = 1
from tests.stress.programs import PROGRAMS
for _ in range(3):
    PROGRAMS["interrupt_beside_threads"]()
"""


def test_threads_that_share_a_slot_take_no_turn_of_the_main_one(tmp_path: Path) -> None:
    env = {**os.environ, "SOMD_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
