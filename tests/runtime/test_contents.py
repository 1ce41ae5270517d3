"""What the keys of generated code depend on."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from somd.cache import keys
from somd.runtime import blocks, contents
from somd.runtime.multicore.numba_internals import machine_code


def test_keys_of_text_and_of_machine_code_depend_on_what_fixes_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[Path]] = []

    def content_of(root: Path, files: Iterable[Path]) -> str:
        asked.append(set(files))
        return ""

    monkeypatch.setattr(contents, "content_of", content_of)
    keys.versions.__wrapped__()
    machine_code._versions.__wrapped__()
    assert [Path(blocks.__file__) in files and len(files) > 50 for files in asked] == [True, True]
