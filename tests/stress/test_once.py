"""Each program once, the most delicate on each threading layer; `python -m tests.stress` runs them many times over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stress.running import CACHES, LIVE, ON_ALL_LAYERS, fresh_cache, layers, run


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all programs use."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("name", LIVE)
def test_program(name: str, cache: Path) -> None:
    run(name, "omp", cache)


@pytest.mark.parametrize("layer", [layer for layer in layers() if layer != "omp"])
@pytest.mark.parametrize("name", ON_ALL_LAYERS)
def test_layer(name: str, layer: str, cache: Path) -> None:
    run(name, layer, cache)


@pytest.mark.parametrize("name", CACHES)
def test_cache(name: str) -> None:
    with fresh_cache() as folder:
        CACHES[name]("omp", folder)
