"""Texts of C functions that every kernel may have."""

import re

from somd.transforms.emit import c_complex_prelude, c_prelude


def test_no_text_calls_copysign() -> None:
    """Decision 28: Intel's compiler loses values of lanes around it."""
    tables = (c_prelude.FLOAT, c_prelude.ANY, c_complex_prelude.ARITHMETIC, c_complex_prelude.FUNCTIONS)
    texts = [text for table in tables for text in table.values()]
    assert len(texts) > 30 and not [text for text in texts if re.search(r"\bcopysign\(", text)]
