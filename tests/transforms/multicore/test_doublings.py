"""Chains that LLVM's vectoriser would follow without an end are kept from it, and others are not."""

import libcst as cst

from somd.transforms.multicore.doublings import FEW, is_doubling

LINK = "s ^= s << 13"


def loop(*lines: str) -> cst.For:
    body = "".join(f"    {line}\n" for line in lines)
    return cst.ensure_type(cst.parse_statement(f"for j in range(m):\n{body}"), cst.For)


def test_long_chains_of_what_the_variable_does_not_change() -> None:
    links = [LINK] * (FEW + 1)
    assert is_doubling(loop("s = y[i]", *links, "h[i, j] *= s"))
    assert is_doubling(loop("s = y[i]", f"for r in range({FEW + 2}):", f"    {LINK}", "h[i, j] *= s"))
    assert not is_doubling(loop("s = y[j]", *links, "h[i, j] *= s"))
    assert not is_doubling(loop("s = y[i]", *links[:FEW], "h[i, j] *= s"))
    assert not is_doubling(loop("s = y[i]", *(["s += 3"] * 40), "h[i, j] *= s"))
