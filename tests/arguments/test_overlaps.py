"""Which arguments are one array."""

from __future__ import annotations

from itertools import product

import numpy as np

from somd.arguments.overlaps import same_arrays

NAMES = ("a", "b", "c", "d")


def test_every_name_is_told_by_the_first_of_its_array() -> None:
    for letters in product("xyz", repeat=4):
        arrays = {letter: np.zeros(4) for letter in letters}
        values = tuple(arrays[letter] for letter in letters)
        for written in ((0, 1, 2, 3), (3,), (2,), (0,)):
            found = same_arrays(written, (0, 1, 2, 3), values, NAMES, NAMES)
            firsts = {name: NAMES[letters.index(letter)] for name, letter in zip(NAMES, letters, strict=True)}
            of_written = {letters[k] for k in written}
            expected = {n: first for n, first in firsts.items() if n != first and letters[NAMES.index(n)] in of_written}
            assert dict(found) == expected
