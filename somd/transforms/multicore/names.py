"""Names that the generator adds, kept apart from the user's; and those that generated modules import."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import somd.runtime
from somd.language.operators import JOINED, OPERATORS
from somd.syntax import module_of
from somd.transforms.reserved import BUILTINS, MARK
from somd.transforms.tree.names import new_name

#: the modules whose functions generated modules call
MODULES = ("np", "math", "elementary")
#: numbers that generated modules import; functions need no mark, for no variable of the user's is called
FAR, NEAR, LANES = (MARK + name for name in ("FAR", "NEAR", "LANES"))


def offered_names() -> tuple[str, ...]:
    """The names that a generated module may import from the runtime, which is not imported for that, in the order of
    imports: its `__all__`, and what there is for each operator of reductions."""
    of_operators = (f"{kind}_{each.short}" for each in (*OPERATORS.values(), JOINED) for kind in ("reduce", "combine"))
    return tuple(sorted((*_exported(), *of_operators), key=lambda name: (not name.isupper(), name)))


@cache
def _exported() -> tuple[str, ...]:
    assert somd.runtime.__file__ is not None
    text = Path(somd.runtime.__file__).with_name("multicore").joinpath("__init__.py").read_text(encoding="utf-8")
    (value,) = (node.value for node in module_of(text).body if isinstance(node, ast.Assign))
    return tuple(ast.literal_eval(value))


class Fresh:
    """Hands out names: the wanted one, with underscores behind it while it is taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = {*taken, *keyword.kwlist, *BUILTINS, *MODULES}
        self.chosen: dict[str, str] = {}

    def name(self, wanted: str) -> str:
        """The name that stands for `wanted`, the same at every call; one that has marks of a loop program stands for
        none without them."""
        if wanted not in self.chosen:
            self.chosen[wanted] = new_name(wanted.replace("''", "_").replace("'", "_").replace(".", "_"), self.taken)
        return self.chosen[wanted]
