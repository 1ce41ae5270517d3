"""The names that the text of one C function mentions, and with them the arguments that it needs."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import libcst as cst

from somd.settings.targets import TargetLacks
from somd.transforms.analysis.facts import assignment_counts
from somd.transforms.opencl.c_names import Names
from somd.transforms.opencl.c_tree import C
from somd.transforms.opencl.c_types import literal
from somd.transforms.opencl.relaxed_reads import RelaxedReads
from somd.transforms.stages import NEAR, Method, Site
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType
from somd.transforms.types.typing_table import Types

#: the variable with the number of an iteration, its place in the order of the loops
ITERATION = "iteration"


@dataclass
class Scope:
    """One function under translation. `arrays`, `lengths`, `inputs` grow as its text mentions them.

    `outer` are the names whose values come in as arguments; `inputs` maps (name, element) to C name and dtype, element
    being None for a scalar and the position for a tuple's part.
    """

    method: Method
    types: Types
    names: Names
    outer: Collection[str] = ()
    guarded: Mapping[cst.Subscript, tuple[Site, ...]] = field(default_factory=dict)
    wrapping: Collection[cst.Subscript] = ()
    arrays: dict[str, str] = field(default_factory=dict)
    lengths: dict[tuple[str, int], str] = field(default_factory=dict)
    inputs: dict[tuple[str, int | None], tuple[str, str]] = field(default_factory=dict)
    #: loops whose trips are proved independent
    independent: Collection[cst.CSTNode] = ()
    tests_accesses: bool = False
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
    relaxed: RelaxedReads | None = None
    #: scalars that stay on the device, with the names of their members; `loaded` are those that the text mentions
    kept: Mapping[str, str] = field(default_factory=dict)
    loaded: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: reads of elements that are in local memory, with the text of their places there
    staged: dict[cst.Subscript, str] = field(default_factory=dict)
    #: products into accumulators that may stand for none; see `products`
    joining: Collection[cst.CSTNode] = ()

    def iteration(self) -> str:
        """The variable with the number of the iteration, which is declared where something asks for it."""
        self.numbered = True
        return ITERATION

    def array(self, name: str) -> str:
        if name in self.own or name in self.apart:
            return self.names.of(name)
        if name not in self.arrays:
            self.arrays[name] = self.names.of(name)
        return self.arrays[name]

    def array_type(self, name: str) -> ArrayType | None:
        """The type of an array, or of a snapshot."""
        snapshots = {} if self.relaxed is None else self.relaxed.relaxed.snapshots
        found = self.types.names.get(next((array for array, copy in snapshots.items() if copy == name), name))
        return found if isinstance(found, ArrayType) else None

    def length(self, array: str, axis: int) -> C:
        if array in self.own:
            return literal(self.own[array][axis], "int64")
        key = (array, axis)
        if key not in self.lengths:
            self.lengths[key] = self.names.fresh(f"{self.names.of(array)}_{axis}")
        return C(self.lengths[key], "int64", reach=NEAR)

    def variable(self, node: cst.Name) -> C:
        """A scalar variable."""
        found = self.types.names.get(node.value)
        if not isinstance(found, ScalarType):
            raise TargetLacks(f"`{node.value}` is no scalar", self.method.positions.get(node))
        reach = NEAR if found.dtype == "int64" and node.value in self.counting else 0
        return C(self._named(node.value, None, found.dtype), found.dtype, reach=reach)

    @functools.cached_property
    def counting(self) -> frozenset[str]:
        """The names that only loops assign: what they count stays near 0, for no machine counts further."""
        counts = assignment_counts(self.method)
        loops: Counter[str] = Counter()

        class Loops(Reader):
            def visit_For(self, node: cst.For) -> None:
                if isinstance(node.target, cst.Name):
                    loops[node.target.value] += 2

        self.method.function.body.visit(Loops())
        return frozenset(name for name, times in loops.items() if counts[name] == times) - {*self.method.param_names}

    def element(self, name: str, position: int) -> C:
        """One part of a tuple variable."""
        found = self.types.names.get(name)
        assert isinstance(found, TupleType)
        position %= len(found.elements)
        dtype = found.elements[position].dtype
        return C(self._named(name, position, dtype), dtype)

    def _named(self, name: str, element: int | None, dtype: str) -> str:
        text = self.names.of(name, element)
        if name in self.outer and name in self.kept:
            self.loaded[name] = (text, dtype)
        elif name in self.outer:
            self.inputs[name, element] = (text, dtype)
        return text
