"""Threads that parse at once, where finalisers let them in between."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

import somd
from somd.syntax import module_of

TEXT = "def f(a):\n" + "".join(f"    x{k} = a[{k}] + (a * {k} - 2) ** 3\n" for k in range(200))


class Circle:
    """Garbage that takes its time."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(300):
            pass


def test_threads_parse_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(15):
                for _ in range(50):
                    Circle()
                module_of(TEXT)
        except BaseException as error:
            raised.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not raised


def test_nothing_parses_otherwise() -> None:
    (root,) = somd.__path__
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path(root).rglob("*.py")}
    assert [name for name, text in texts.items() if "ast.parse(" in text] == ["syntax.py"]
