"""The order in which `with sync(s, scan="+")` adds up, which all targets and numbers of workers have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import somd
from somd import dist, sync
from somd import somd as method
from somd.transforms.frontend.claimed_scans import BLOCK, LANE
from tests.differential import harness

A = dist[np.ndarray]
#: lanes that are not full, and blocks that are not
TRIPS = 3 * BLOCK * LANE + 5 * LANE + 3


@method
def sums(a: A, s: float) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
    return out, s


@method
def recurrence(a: A, b: A) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    x = 1.0
    with sync(x, scan="affine"):
        for i in range(len(a)):
            x = a[i] * x + b[i]
            out[i] = x
    return out, x


@method
def segments(a: A, t: np.float32) -> tuple[np.ndarray, np.float32]:
    out = np.empty_like(a)
    s = t
    with sync(s, scan="+"):
        for i in range(len(a) - 1, -1, -1):
            s += a[i]
            if i % 3000 == 7:
                s = a[i]
            out[i] = s
    return out, s


def folded(parts: np.ndarray, first: float = -0.0) -> np.ndarray:
    """What stands before each part, and behind the last one, of the last axis: added up in order."""
    begin = np.full((*parts.shape[:-1], 1), first)
    return np.add.accumulate(np.concatenate([begin, parts], axis=-1), axis=-1)


def expected_sums(a: np.ndarray, s: float) -> tuple[np.ndarray, float]:
    """Blocks, lanes and trips as an array of three axes; -0.0 changes nothing that it is added to."""
    blocks = -(-len(a) // (BLOCK * LANE))
    padded = np.full(blocks * BLOCK * LANE, -0.0)
    padded[: len(a)] = a
    own = folded(padded.reshape(blocks, BLOCK, LANE))[..., 1:]
    lanes = folded(own[..., -1])
    bases = folded(lanes[..., -1], s)
    found = bases[:-1, None, None] + (lanes[:, :-1, None] + own)
    return found.reshape(-1)[: len(a)], bases[-1]


def everywhere(call: Callable[[], tuple[np.ndarray, float]]) -> Iterator[tuple[np.ndarray, float]]:
    for target in harness.TARGETS:
        if harness.unavailable(target) is None:
            for workers in (1, 2, 3, 7, 50) if target == "multicore" else (1,):
                with somd.use(target=target, workers=workers):
                    yield call()


def test_sums_have_the_bits_of_their_association() -> None:
    a = np.random.default_rng(0).lognormal(0.0, 8.0, TRIPS)
    a[::7] *= -1
    out, last = expected_sums(a, 0.1)
    for found in everywhere(lambda: sums(a, 0.1)):
        assert found[0].tobytes() == out.tobytes()
        assert found[1] == last


def test_strips_do_not_show() -> None:
    a = np.random.default_rng(4).lognormal(0.0, 8.0, 65 * BLOCK * LANE + 77)
    out, last = expected_sums(a, 0.1)
    for workers in (1, 2, 3):
        with somd.use(target="multicore", workers=workers):
            found = sums(a, 0.1)
        assert found[0].tobytes() == out.tobytes() and found[1] == last


def test_sums_of_numbers_of_one_sign_never_go_back() -> None:
    a = 10.0 ** np.random.default_rng(1).uniform(-7, 7, TRIPS)
    with somd.use(target="multicore", workers=2):
        out, last = sums(a, 0.0)
    assert (np.diff(out) >= 0).all() and last == out[-1]
    assert np.allclose(out, np.cumsum(a), rtol=1e-13)


def test_two_devices_have_the_bits_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from somd.runtime.opencl.several import parts
    from tests.several import KINDS, several

    a = np.random.default_rng(0).lognormal(0.0, 8.0, TRIPS)
    out, last = expected_sums(a, 0.1)
    devices = several(KINDS, 2, monkeypatch)
    monkeypatch.setattr(parts, "FEW", 0)
    with somd.use(target="opencl", device=devices):
        found = sums(a, 0.1)
    assert found[0].tobytes() == out.tobytes() and found[1] == last


def test_segments_have_one_bit_pattern() -> None:
    a = np.random.default_rng(3).lognormal(0.0, 3.0, TRIPS).astype(np.float32)
    first, *others = everywhere(lambda: segments(a, np.float32(0.3)))
    for found in others:
        assert found[0].tobytes() == first[0].tobytes() and found[1] == first[1]
    assert np.allclose(first[0], segments.sequential(a, np.float32(0.3))[0], rtol=1e-3)


def test_one_thread_takes_one_pass_where_nothing_else_is_handed_on() -> None:
    assert "if n_slaves == 1:" in sums.source("multicore")
    assert "while s__turn < s__blocks:" in sums.source("multicore") and "running_sums((" in sums.source("multicore")
    assert "on cores, in pieces" in str(sums.explain())
    kernels = re.findall(r"void sums_(\w+)", sums.source("opencl"))
    assert sorted(kernels) == ["6", "6_striped", "7", "7_walked", "8", "8_walked", "9", "9_striped"]


def test_recurrences_have_one_bit_pattern() -> None:
    generator = np.random.default_rng(2)
    a, b = generator.uniform(-1.1, 1.1, TRIPS), generator.uniform(-1, 1, TRIPS)
    first, *others = everywhere(lambda: recurrence(a, b))
    for found in others:
        assert found[0].tobytes() == first[0].tobytes() and found[1] == first[1]
    assert np.allclose(first[0], recurrence.sequential(a, b)[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("words", [{"scan": "min"}, {"scan": "+", "reduce": "+"}, {"scan": "+", "relaxed": True}])
def test_plain_python_tells_wrong_words(words: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError), match="scan"):
        sync(0.0, **words)  # type: ignore[arg-type]
