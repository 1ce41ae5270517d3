"""Names that the generator adds, kept apart from the user's."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from somd.transforms.reserved import BUILTINS, MODULES
from somd.transforms.tree.names import new_name


class Fresh:
    """Hands out names: the wanted one, with underscores behind it while it is taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = {*taken, *keyword.kwlist, *BUILTINS, *MODULES}
        self.chosen: dict[str, str] = {}

    def name(self, wanted: str) -> str:
        """The name that stands for `wanted`, the same at every call."""
        if wanted not in self.chosen:
            self.chosen[wanted] = new_name(wanted, self.taken)
        return self.chosen[wanted]
