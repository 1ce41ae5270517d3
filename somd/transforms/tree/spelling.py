"""Messages in the user's own names, where passes made others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from somd.diagnostics.model import Diagnostic
from somd.errors import SomdCompileError
from somd.transforms.stages import Method

#: how an index is spelled that the user did not name (`for v in a`)
UNNAMED = "..."
_WORD = re.compile(r"\w+")


def as_written(text: str, spelled: Mapping[str, str]) -> str:
    """`text` with what the user wrote for each name that a pass made.

    >>> as_written("out[k__now + 1]", {"k__now": "k"})
    'out[k + 1]'
    """
    if not spelled:
        return text
    return _WORD.sub(lambda found: spelled.get(found.group(), found.group()), text)


@contextmanager
def in_the_users_names(method: Method) -> Iterator[None]:
    """A block whose SomdCompileError speaks in the user's names."""
    try:
        yield
    except SomdCompileError as error:
        if not method.spelled:
            raise
        raise type(error)(tuple(_spelled(d, method.spelled) for d in error.diagnostics)) from None


def _spelled(diagnostic: Diagnostic, spelled: Mapping[str, str]) -> Diagnostic:
    return replace(
        diagnostic,
        message=as_written(diagnostic.message, spelled),
        labels=tuple(replace(label, text=as_written(label.text, spelled)) for label in diagnostic.labels),
        helps=tuple(as_written(text, spelled) for text in diagnostic.helps),
        notes=tuple(as_written(text, spelled) for text in diagnostic.notes),
    )
