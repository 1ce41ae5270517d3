"""How much the usual run does: with SOMD_ALL_CASES=1 tests take all of their cases, else as many as say most."""

from __future__ import annotations

import os

ALL = bool(os.environ.get("SOMD_ALL_CASES"))
