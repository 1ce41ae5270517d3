"""Philox4x32-10 against the answers that its authors publish with it."""

from __future__ import annotations

import pytest

from somd.random.philox import philox

ALL = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ALL, ALL), (ALL, ALL, ALL, ALL), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_known_answers(
    key: tuple[int, int], counter: tuple[int, int, int, int], words: tuple[int, int, int, int]
) -> None:
    assert philox(*key, *counter) == words
