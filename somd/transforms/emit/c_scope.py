"""The names that the text of one C function mentions, and with them the arguments that it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from somd.transforms.emit.c_names import Names, spelled
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import literal
from somd.transforms.loops.program import Element, Loop, Variable, While
from somd.transforms.loops.walking import tests_accesses
from somd.transforms.stages import NEAR, Site
from somd.transforms.types.scalars import ArrayType, Type

#: the variable with the number of an iteration, its place in the order of the loops
ITERATION = "iteration"


@dataclass(frozen=True)
class LocalTable:
    """A table in local memory: its C name, that of its length, its type."""

    text: str
    length: str
    type: ArrayType


@dataclass
class Scope:
    """One function that is printed. `arrays`, `lengths`, `inputs` grow as its text mentions them.

    `types` are those of the method's names; `outer` are the names whose values come in as arguments; `inputs` maps
    (name, element) to C name and dtype, element being None for a scalar and the position for a tuple's part.
    """

    names: Names
    types: Mapping[str, Type] = field(default_factory=dict)
    outer: Collection[str] = ()
    arrays: dict[str, str] = field(default_factory=dict)
    lengths: dict[tuple[str, int], str] = field(default_factory=dict)
    inputs: dict[tuple[str, int | None], tuple[str, str]] = field(default_factory=dict)
    tests_accesses: bool = False
    #: how many loops around what is printed have accesses that are tested
    loops_that_test: int = 0
    #: whether the text mentions the number of the iteration
    numbered: bool = False
    #: in kernels that note faults at their end, the variable that keeps the first one
    noted: str = ""
    #: lengths of the arrays that lie in private memory
    own: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    #: arrays of the iteration that lie in rows of global memory, with the C names of their steps
    apart: dict[str, str] = field(default_factory=dict)
    #: where a length of an array of the iteration may be negative: a site an axis
    lengths_tested: dict[str, tuple[Site, ...]] = field(default_factory=dict)
    #: arrays by their snapshots
    snapshots: Mapping[str, str] = field(default_factory=dict)
    #: the outermost variable and its range as text, where elements are read from snapshots
    relaxed_range: str = ""
    #: scalars that stay on the device, with the names of their members; `loaded` are those that the text mentions
    kept: Mapping[str, str] = field(default_factory=dict)
    loaded: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: elements that are read from somewhere else, and stored there, with the text of their places
    staged: dict[Element, str] = field(default_factory=dict)
    #: C names of values that have no name of the user's
    held: dict[str, str] = field(default_factory=dict)
    #: tables of the region, by name
    tables: dict[str, LocalTable] = field(default_factory=dict)
    #: names that only loops set: what they count stays near 0
    counted: Collection[str] = ()

    def iteration(self) -> str:
        """The variable with the number of the iteration, which is declared where something asks for it."""
        self.numbered = True
        return ITERATION

    @contextmanager
    def around(self, loop: Loop | While) -> Iterator[None]:
        """What is printed within it is in this loop, another trip of which may have failed before."""
        tested = tests_accesses((loop,))
        self.loops_that_test += tested
        yield
        self.loops_that_test -= tested

    def failing(self) -> bool:
        """Whether an access of the iteration may have failed before what is printed now."""
        return self.tests_accesses or self.loops_that_test > 0

    def array(self, name: str) -> str:
        if name in self.tables:
            return self.tables[name].text
        if name in self.own or name in self.apart:
            return self.names.of(name)
        if name not in self.arrays:
            self.arrays[name] = self.names.of(name)
        return self.arrays[name]

    def array_type(self, name: str) -> ArrayType:
        """The type of an array, or of a snapshot."""
        if name in self.tables:
            return self.tables[name].type
        found = self.types[self.snapshots.get(name, name)]
        assert isinstance(found, ArrayType)
        return found

    def length(self, array: str, axis: int) -> C:
        if array in self.own:
            return literal(self.own[array][axis], "int64")
        if array in self.tables:
            return C(self.tables[array].length, "int64", reach=NEAR)
        key = (array, axis)
        if key not in self.lengths:
            self.lengths[key] = self.names.fresh(f"{self.names.of(array)}_{axis}")
        return C(self.lengths[key], "int64", reach=NEAR)

    def value(self, node: Variable) -> C:
        """A variable of the program: a scalar, a part of a tuple, or a value that is kept."""
        dtype = node.type.dtype
        if "'" in node.name:
            return C(self.text_of(node.name), dtype)
        name, part = _parted(node.name)
        text = self.names.of(name, part)
        if name in self.outer and name in self.kept:
            self.loaded[name] = (text, dtype)
        elif name in self.outer:
            self.inputs[name, part] = (text, dtype)
        return C(text, dtype, reach=NEAR if dtype == "int64" and name in self.counted else 0)

    def text_of(self, variable: str) -> str:
        """The C name of a variable of the program; one that has no name of the user's gets a new one."""
        if "'" in variable:
            if variable not in self.held:
                self.held[variable] = self.names.fresh(spelled(variable.partition("'")[0]))
            return self.held[variable]
        return self.names.of(*_parted(variable))


def _parted(variable: str) -> tuple[str, int | None]:
    """A variable's name in the method, and which part of a tuple it is."""
    name, _, part = variable.partition(".")
    return name, int(part) if part else None
