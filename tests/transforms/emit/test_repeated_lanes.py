"""Strips that are not full have the bits of plain Python, and lanes are repeated where nothing else may differ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from somd import dist, somd, use

LENGTHS = (0, 1, 7, 8, 9, 31, 62, 130, 515)


@somd
def rings(data: np.ndarray, radius: np.ndarray, mean: dist[np.ndarray]) -> None:
    """A lane takes its limits from where they are kept."""
    for i in range(len(mean)):
        inner = i / len(mean)
        total, count = 0.0, 0
        for k in range(len(data)):
            if inner <= radius[k] and radius[k] < inner + 0.25:
                total += data[k]
                count += 1
        mean[i] = total - count


@somd
def waves(phase: np.ndarray, a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    """Sines are taken of all lanes at once."""
    for i in range(len(a)):
        x = a[i]
        for k in range(len(phase)):
            x = math.sin(x + phase[k]) * 0.5
        b[i] = x


@somd
def along_rows(m: np.ndarray, a: dist[np.ndarray]) -> None:
    """Elements lie side by side in lanes: those beyond the last do not exist."""
    for i in range(len(a)):
        x = a[i]
        for k in range(len(m)):
            x = x * 0.5 + m[k, i]
        a[i] = x


def _of(length: int) -> dict[str, tuple[np.ndarray, ...]]:
    random = np.random.default_rng(length)
    first, second, own = map(random.random, (13, 13, length))
    return {
        "rings": (first, second, np.zeros(length)),
        "waves": (first, own, np.zeros(length)),
        "along_rows": (random.random((5, length)), own),
    }


@pytest.mark.parametrize("function", [rings, waves, along_rows], ids=["rings", "waves", "along_rows"])
def test_all_lengths_have_the_bits_of_plain_python(function: somd) -> None:
    for length in LENGTHS:
        name = function.sequential.__name__
        args, expected = _of(length)[name], _of(length)[name]
        function.sequential(*expected)
        for workers in (1, 2, 7):
            own = tuple(each.copy() for each in args)
            with use(target="multicore", workers=workers):
                function(*own)
            if name == "waves":  # sines are of our own
                np.testing.assert_allclose(own[-1], expected[-1], rtol=1e-12)
            else:
                assert own[-1].tobytes() == expected[-1].tobytes(), (length, workers)


def test_lanes_are_repeated_where_they_take_what_is_kept() -> None:
    """The loop that sets what is kept has as many as there are; the one that reads elements of its own, too."""
    example = _of(9)
    for function, wanted in ((rings, True), (waves, True), (along_rows, False)):
        function(*(each.copy() for each in example[function.sequential.__name__]))
        text = function.source("multicore")
        assert ("in range(whole)" in text or "_lanes, whole)" in text) == wanted, text
        assert ("repeat_last(" in text) == wanted
        assert "in range(count" in text
