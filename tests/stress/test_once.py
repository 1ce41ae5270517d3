"""Each program once, some in one process, the most delicate on each threading layer.

`python -m tests.stress` runs them many times over.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.stress.running import CACHES, ON_ALL_LAYERS, TOGETHER, filled, fresh_cache, layers, run

#: two processes meet as four do
FEW = CACHES | {"filled_at_once": partial(filled, 2)}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all programs use."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("names", TOGETHER, ids="-".join)
def test_programs(names: tuple[str, ...], cache: Path) -> None:
    run(names, "omp", cache)


@pytest.mark.parametrize("layer", [layer for layer in layers() if layer != "omp"])
@pytest.mark.parametrize("names", ON_ALL_LAYERS, ids="-".join)
def test_layer(names: tuple[str, ...], layer: str, cache: Path) -> None:
    run(names, layer, cache)


@pytest.mark.parametrize("name", FEW)
def test_cache(name: str) -> None:
    with fresh_cache() as folder:
        FEW[name]("omp", folder)
