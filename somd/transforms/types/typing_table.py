"""What inference finds out: types of names and expressions, and what each call is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import libcst as cst

from somd.language.array_functions import ArrayFunction
from somd.transforms.stages import Method
from somd.transforms.types.scalars import Type

if TYPE_CHECKING:
    from somd.transforms.frontend.reached import Function
    from somd.transforms.types.reducing import Reducing


@dataclass(frozen=True)
class Callee:
    """What a call means: `kind` is builtin, math, numpy, cast, allocate, like, copy, helper, reduce, product, array,
    astype or method; `name` is its name."""

    kind: str
    name: str
    helper: HelperInstance | None = None
    reducing: Reducing | None = None
    given: Given | None = None


@dataclass(frozen=True)
class Given:
    """What a call of a function of whole arrays gives for each parameter: nodes, or a constant."""

    function: ArrayFunction
    nodes: Mapping[str, tuple[cst.BaseExpression, ...]]
    constants: Mapping[str, Any]


@dataclass(frozen=True)
class HelperInstance:
    """A helper function for given argument types, under a name that is its own in the generated module."""

    name: str
    method: Method
    arguments: tuple[Type, ...]
    types: Types


#: helpers as they were read, with names set apart, by what they are given
HelpersRead = dict[tuple[object, tuple[Type, ...]], Method]


@dataclass
class Types:
    """Side tables of one function: `names`, expression `nodes`, `calls`, and the result."""

    names: dict[str, Type] = field(default_factory=dict)
    nodes: dict[cst.CSTNode, Type] = field(default_factory=dict)
    calls: dict[cst.Call, Callee] = field(default_factory=dict)
    result: Type | None = None
    #: whether something is done with whole arrays, or parts of them that are arrays
    whole: bool = False
    #: the types of the values that each `raise` needs, by its name
    raised: dict[str, tuple[Type, ...]] = field(default_factory=dict)
    #: all helper instances reached, in the order in which they must be defined
    helpers: dict[tuple[object, tuple[Type, ...]], HelperInstance] = field(default_factory=dict)
    #: for all walks of a method
    read: HelpersRead = field(default_factory=dict)
    captured: Mapping[str, object] = field(default_factory=dict)
    #: helpers that are given whole arrays, or compute with some: they are to be written out where they are called
    of_arrays: set[Function] = field(default_factory=set)


class HelpersOfArrays(Exception):
    """A method calls helpers of arrays, which have no types of their own."""

    def __init__(self, functions: Collection[Function]) -> None:
        super().__init__()
        self.functions = frozenset(functions)
