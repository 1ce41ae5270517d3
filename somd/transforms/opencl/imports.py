"""The names that a master's module brings along: imported, Python's own, or defined at its top; renamed where the user
has the same.

_somd_trips(0, n, 1)   ->   from somd.runtime.opencl.generated import trips      or, beside a user's `trips`,
                            from somd.runtime.opencl.generated import trips as trips_2
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from somd.transforms.emit.c_names import Names
from somd.transforms.opencl import host_tree as tree
from somd.transforms.reserved import BUILTINS, MARK
from somd.transforms.tree.rewriting import parsed
from somd.transforms.tree.walking import Transformer

RUNTIME = "somd.runtime.opencl.generated"
MODULES = {"cmath": "cmath", "math": "math", "np": "numpy"}
DEFINED = ("SITES",)


def with_imports(statements: Sequence[cst.BaseStatement], taken: Iterable[str]) -> list[cst.BaseStatement]:
    """The statements with what they bring along imported and named; `taken` are the user's names."""
    naming = _Naming(taken)
    named = tree.module(statements).visit(naming)
    assert isinstance(named, cst.Module)
    texts = [f"import {MODULES[name]}{_alias(MODULES[name], naming.given[name])}" for name in naming.modules()]
    own = [f"{name}{_alias(name, naming.given[name])}" for name in naming.builtins() if naming.given[name] != name]
    if own:
        texts.append(f"from builtins import {', '.join(own)}")
    wanted = [f"{name}{_alias(name, naming.given[name])}" for name in naming.functions()]
    if len(wanted) > 4:
        lines = "".join(f"    {name},\n" for name in wanted)
        texts.append(f"from {RUNTIME} import (\n{lines})")
    elif wanted:
        texts.append(f"from {RUNTIME} import {', '.join(wanted)}")
    return [*parsed(*texts), *named.body]


def _alias(name: str, given: str) -> str:
    return "" if name == given else f" as {given}"


class _Naming(Transformer):
    def __init__(self, taken: Iterable[str]) -> None:
        super().__init__()
        self.names = Names(taken)
        self.given: dict[str, str] = {}

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if not updated_node.value.startswith(MARK):
            return updated_node
        name = updated_node.value.removeprefix(MARK)
        if name not in self.given:
            self.given[name] = self.names.fresh(name)
        return cst.Name(self.given[name])

    def modules(self) -> list[str]:
        return [name for name in MODULES if name in self.given]

    def functions(self) -> list[str]:
        return sorted(set(self.given) - {*MODULES, *DEFINED, *BUILTINS})

    def builtins(self) -> list[str]:
        return sorted(BUILTINS & set(self.given))
