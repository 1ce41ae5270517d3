"""Types from text, as `somdc --signature` and Numba's users write them."""

from __future__ import annotations

import pytest

from somd.transforms.signature_text import parse_signature, parse_type


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("float64[:]", "float64[:]"),
        ("uint8[::1]", "uint8[:]"),
        ("float32[:, ::1]", "float32[:, :]"),
        ("int32[::1,:,:]", "int32[:, :, :]"),
        ("np.float32", "float32"),
        ("int", "int"),
    ],
)
def test_types(text: str, shown: str) -> None:
    assert str(parse_type(text)) == shown


@pytest.mark.parametrize("text", ["float64[]", "float64[1]", "float64[:,]", "float64[:::]", "floaty[:]", ""])
def test_no_types(text: str) -> None:
    with pytest.raises(ValueError, match="no type of an argument"):
        parse_type(text)


def test_a_signature_of_numba() -> None:
    found = parse_signature("void(uint8[::1], float32[:, ::1], int64)")
    assert [str(kind) for kind in found] == ["uint8[:]", "float32[:, :]", "int"]
