"""Each program once, some in one process, the most delicate on each threading layer.

`python -m tests.stress` runs them many times over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.stress.running import (
    ALL,
    CACHES,
    FRESH,
    ON_ALL_LAYERS,
    TOGETHER,
    and_again,
    filled,
    fresh_cache,
    layers,
    run,
)

#: what befalls a cache: some of it the same one, after each other, and two processes meet as four do
FEW = {
    "filled_at_once-damaged-deleted": (partial(filled, 2), CACHES["damaged"], CACHES["deleted"]),
    "read_only": (CACHES["read_only"],),
    "full": (CACHES["full"],),
    "-".join(FRESH): (partial(and_again, FRESH),),
}
BEFALL = {name: (run_it,) for name, run_it in CACHES.items()} if ALL else FEW


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all programs use."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("names", TOGETHER, ids="-".join)
def test_programs(names: tuple[str, ...], cache: Path) -> None:
    run(names, "omp", cache)


@pytest.mark.parametrize("layer", [layer for layer in layers() if layer != "omp"])
@pytest.mark.parametrize("names", ON_ALL_LAYERS, ids="-".join)
@pytest.mark.usual(3)
def test_layer(names: tuple[str, ...], layer: str, cache: Path) -> None:
    run(names, layer, cache)


@pytest.mark.parametrize("ways", BEFALL.values(), ids=BEFALL)
def test_cache(ways: tuple[Callable[[str, Path], None], ...]) -> None:
    with fresh_cache() as folder:
        for befalls in ways:
            befalls("omp", folder)
