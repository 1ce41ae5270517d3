"""The names and nodes that lowering makes, with their places and what the user wrote instead of them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

import libcst as cst
import numpy as np

from somd.diagnostics.model import Position
from somd.language.library import Kind
from somd.language.markers import single
from somd.syntax import module_of
from somd.transforms.analysis.assignment import unset_reads
from somd.transforms.arrays.linear import Linear
from somd.transforms.frontend.unset_names import function_at
from somd.transforms.library import LibraryFunction
from somd.transforms.stages import Method, Raising
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import name_for, new_name
from somd.transforms.tree.rewriting import parsed
from somd.transforms.tree.spelling import UNNAMED
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import ScalarType

SHAPES = "somd.language.shapes"
#: a zero of Python's types, by NumPy's letter of their kind
ZEROS = {"b": "False", "i": "0", "f": "0.0", "c": "0j"}


class Names:
    """Makes names that `method` does not have, and nodes that stand at places of its text."""

    def __init__(self, method: Method) -> None:
        self.method = method
        self.positions = dict(method.positions)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.taken = set(method.local_names)
        self.spelled: dict[str, str] = {}
        self.within: set[str] = set()
        self.asked: set[tuple[str, int, str, Position]] = set()
        #: names that only lengths, and other such names, are read for: computing them cannot fail
        self.of_lengths: set[str] = set()
        #: names for numbers that stand among arrays, bound once, with a zero of their types
        self.numbers: dict[str, str] = {}

    @cached_property
    def perhaps_unset(self) -> frozenset[str]:
        """The names of the method that may have no value where one of its statements reads them."""
        method = self.method
        own = method.local_names - set(method.param_names)
        reads = unset_reads(statements_of(method.function.body), method, method.param_names, own)
        return frozenset(name for read in reads for name in read.names)

    def so_far(self) -> Method:
        """The method with all that has been made."""
        spelled = {**self.method.spelled, **self.spelled}
        return replace(
            self.method,
            positions=self.positions,
            namespace=self.namespace,
            local_names=frozenset(self.taken),
            spelled=spelled,
            within=self.method.within | self.within,
            asked=self.method.asked | self.asked,
        )

    def new(self, stem: str, spelling: str = UNNAMED) -> str:
        """A new name, and the text that it stands for."""
        name = new_name(stem, self.taken)
        self.spelled[name] = spelling
        return name

    def number(self, name: str, kind: ScalarType) -> None:
        """Note that a name stands for a number of a type."""
        self.numbers[name] = ZEROS[kind.kind] if kind.weak else f"{self.dtype(kind.dtype)}(0)"

    def function(self, name: str) -> str:
        """What Python's own function of this name is called."""
        return name_for(getattr(builtins, name), name, self.namespace, self.taken)

    def single(self) -> str:
        """What the marker of blocks is called that one thread runs."""
        return name_for(single, "single", self.namespace, self.taken)

    def dtype(self, dtype: str) -> str:
        """Python text of a dtype."""
        return self.numpy("bool_" if dtype == "bool" else dtype)

    def numpy(self, name: str) -> str:
        """What NumPy's `name` is called."""
        return name_for(getattr(np, name), f"np_{name}", self.namespace, self.taken)

    # --- nodes -----------------------------------------------------------------------------------------------------

    def place(self, made: cst.CSTNode, at: cst.CSTNode) -> None:
        """Let what is new in `made` stand where `at` stands."""
        place = self.position(at)
        for node in nodes_in(made):
            self.positions.setdefault(node, place)

    def position(self, node: cst.CSTNode) -> Position:
        return self.positions.get(node) or self.method.position(self.method.function.name)

    def line(self, text: str, at: cst.CSTNode) -> cst.BaseStatement:
        """The statement of a text."""
        [made] = parsed(f"{text}\n")
        self.place(made, at)
        return made

    def expression(self, text: str, at: cst.CSTNode) -> cst.BaseExpression:
        made = cst.parse_expression(text)
        self.place(made, at)
        return made

    def changed(self, node: cst.CSTNode, **changes: object) -> cst.BaseExpression:
        """A node with other parts, where it stands."""
        made = node.with_changes(**changes)
        self.place(made, node)
        return cast(cst.BaseExpression, made)

    def copy(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The same expression, of nodes of its own."""
        made = node.deep_clone()
        for old, new in zip(nodes_in(node), nodes_in(made), strict=True):
            if old in self.positions:
                self.positions[new] = self.positions[old]
        self.place(made, node)
        return made

    def loop(
        self, variable: str, start: Linear, stop: Linear, body: Sequence[cst.BaseStatement], at: cst.CSTNode
    ) -> cst.For:
        """`for variable in range(start, stop): body`"""
        limits = stop.text if start == Linear() else f"{start.text}, {stop.text}"
        made = cst.ensure_type(parsed(f"for {variable} in range({limits}):\n    pass\n")[0], cst.For)
        made = made.with_changes(body=cst.IndentedBlock(body))
        self.place(made, at)
        return made

    def raising(self, what: str, shapes: list[tuple[Linear, ...]], at: cst.CSTNode) -> str:
        """Python text that raises what shapes that do not fit raise."""
        given = ", ".join(f"({''.join(f'{length.text}, ' for length in shape)})" for shape in shapes)
        text = f"raise __import__({SHAPES!r}, fromlist=('',)).misfit({what!r}, {given})"
        lengths = dict.fromkeys(each.text for shape in shapes for each in shape if not each.is_constant)
        values = tuple(ast.unparse(module_of(length)) for length in lengths)
        return self.raised(text, values, at)

    def raised(self, text: str, values: tuple[str, ...], at: cst.CSTNode, name: str = "raised_of_arrays") -> str:
        """Python text that raises what the statement of a text raises, for these values."""
        place = self.position(at)
        while name in self.taken or name in self.namespace:
            name += "_"
        self.namespace[name] = Raising(text, place, values, function_at(self.method, place))
        return f"raise {name}({', '.join(values)})"

    def library(
        self, text: str, given: tuple[Kind, ...], results: tuple[Kind, ...], several: bool, at: cst.CSTNode
    ) -> str:
        """The name of a function that makes a library call."""
        place = self.position(at)
        made = LibraryFunction(text, place, given, results, several, function_at(self.method, place))
        return name_for(made, "library", self.namespace, self.taken)
