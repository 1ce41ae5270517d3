"""Tests keep what they compile beside pytest's own cache, not in the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# threads that wait for work must not take the cores from the tests beside them
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# PoCL shows as many devices as this names: for calls on several
os.environ.setdefault("POCL_DEVICES", "pthread pthread pthread")
# tests are small, and must be divided all the same
os.environ.setdefault("SOMD_SMALL_WORK", "0")
# processes that tests start must not compile the package's source anew, each for itself
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("SOMD_CACHE_DIR", str(Path(__file__).parents[1] / ".pytest_cache" / "somd"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write golden files from what the compiler says now")
