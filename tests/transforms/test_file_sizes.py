"""Files of the compiler stay short enough to be read in one go."""

from __future__ import annotations

from pathlib import Path

import somd

MOST = 500


def test_no_file_is_long() -> None:
    room = Path(somd.__file__).parent / "transforms"
    lengths = {
        path.relative_to(room).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in room.rglob("*.py")
    }
    assert "stages.py" in lengths
    assert not {name for name, length in lengths.items() if length > MOST}
