"""What is printed of a program's statements, and that names of the user's meet none of those that the builder makes."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.differential.features import text_of

A = dist[np.ndarray]


@somd
def kinds(a: A, b: A, n: int) -> None:
    for i in range(min(len(a), len(b))):
        # a tuple with the name of what the builder keeps
        value = (a[i], a[i] + 1.0)
        x, y = value[1], value[0]  # at once
        if x > n:
            b[i] = y
        elif y < 0:
            b[i] = x * (i % 7 - 3)
        else:
            for k in range(n, 0, -1):
                b[i] = x * k


BODY = """\
    // a tuple with the name of what the builder keeps
#line LINE
    const double value = a[i];
    const double value_2 = a[i] + 1.0;
    value__0 = value;
    value__1 = value_2;
#line LINE
    const double value_3 = value__1;
    const double value_4 = value__0;
    x = value_3;
    y = value_4;  // at once
#line LINE
    if (x > (double)n) {
#line LINE
        b[i] = y;
#line LINE
    } else if (y < 0.0) {
#line LINE
        b[i] = x * (double)(i % 7 - 3);
    } else {
#line LINE
#pragma clang loop vectorize(disable) interleave(disable)
        for (long k = n; k > 0; k--) {
#line LINE
            b[i] = x * (double)k;
        }
    }
"""


def test_statements() -> None:
    text = text_of(kinds, (np.ones(3), np.ones(3), 2), "opencl")
    lines = ["#line LINE" if line.startswith("#line") else line for line in text.splitlines()]
    assert BODY in "\n".join(lines) + "\n"
