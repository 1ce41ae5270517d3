"""`Plan` and `Types` -> a Python module for Numba.

In: a verified plan and the types of one signature. Out: `MulticoreCode`, whose parts are libcst functions;
`module_text` prints them. The module imports nothing but NumPy, math, Numba's `prange` and `somd.runtime.multicore`.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst
import numpy as np

from somd.syntax import module_of
from somd.transforms.emit.python_text import literal
from somd.transforms.fence_table import fences_text
from somd.transforms.multicore.masters import MasterBuilder, has_faults
from somd.transforms.multicore.names import MODULES, Fresh, offered_names
from somd.transforms.multicore.profiled import phases_text, profiled
from somd.transforms.multicore.ranks import RankMasterBuilder
from somd.transforms.multicore.slaves import Slave
from somd.transforms.plan.claimed_scans import by_strips, for_many
from somd.transforms.raise_rows import raises_text
from somd.transforms.reserved import BUILTINS, MARK, apart, reserved
from somd.transforms.stages import (
    Method,
    Plan,
    Site,
    Sweeps,
    Uniform,
    all_steps,
    partition_roots,
    written_arrays,
)
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import with_own_label
from somd.transforms.tree.verbatim import Verbatim
from somd.transforms.tree.walking import Transformer, nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType, Type, type_of_value
from somd.transforms.types.typing_table import Types


@dataclass(frozen=True)
class MulticoreCode:
    """The generated functions of one method for one signature."""

    plan: Plan
    types: Types
    signature: str
    master: cst.FunctionDef
    slaves: tuple[Slave, ...]
    helpers: tuple[cst.FunctionDef, ...]
    constants: dict[str, object]
    #: whether a phase has more MIs than workers, since the costs of its iterations differ
    uneven: bool
    #: whether the master keeps time of its phases
    profiled: bool = False
    #: whether the master is one for ranks
    ranked: bool = False

    @property
    def has_faults(self) -> bool:
        return has_faults(self.plan)


def plan_to_multicore(plan: Plan, types: Types, with_profile: bool = False, ranked: bool = False) -> MulticoreCode:
    """Master, slaves and helpers of a plan; `with_profile` makes a master that keeps time of its phases, `ranked` one
    for one of several ranks.

    Raises:
        TargetLacks: ranks cannot share the plan.
    """
    constants: dict[str, object] = {}
    plan = for_many(plan) if ranked else by_strips(plan)
    taken = {*plan.method.local_names, *reserved(), apart(plan.method.name), *(h.name for h in types.helpers.values())}
    taken |= names_read(plan.method.function.body)
    fresh = Fresh(taken)
    builder = (RankMasterBuilder if ranked else MasterBuilder)(plan, types, constants, fresh)
    master = builder.build()
    if with_profile:
        master = profiled(master, builder, plan, types)
    helpers = [_renamed(builder.printing.helper(i), i.method) for i in types.helpers.values()]
    signature = ", ".join(f"{name}: {types.names[name]}" for name in plan.method.param_names if name in types.names)
    called = [master, *builder.functions, *(f for s in builder.slaves for f in (*s.others, s.function))]
    functions = (*_in_use(helpers, called), *builder.functions, *builder.exact.functions)
    slaves = tuple(builder.slaves)
    return MulticoreCode(
        plan, types, signature, master, slaves, functions, constants, builder.uneven, with_profile, ranked
    )


def _in_use(helpers: list[cst.FunctionDef], callers: Iterable[cst.FunctionDef]) -> list[cst.FunctionDef]:
    """The helpers that are still called: some are written out in slaves."""
    used = {name for function in callers for name in _names(function)} if helpers else set()
    kept: list[cst.FunctionDef] = []
    for helper in reversed(helpers):
        if helper.name.value in used:
            kept.insert(0, helper)
            used |= _names(helper)
    return kept


def module_text(code: MulticoreCode) -> str:
    """The module as readable Python."""
    method = code.plan.method
    position = method.position(method.function.name)
    slaves = [function for s in code.slaves for function in (*s.others, s.function)]
    made = (*code.helpers, *slaves, code.master)
    functions = [cast(cst.FunctionDef, _renamed(f, method).visit(_Finished())) for f in made]
    text = "".join(cst.Module([function]).code for function in functions)
    used = {node.id for node in ast.walk(module_of(text)) if isinstance(node, ast.Name)}
    used |= {str(local.partitioner) for local in method.marked_locals if local.as_long_as}
    head = [
        f'"""`{method.qualname}` of {os.path.basename(position.file)}, line {position.line}, for multicore.',
        "",
        f"Signature: {code.signature}. Generated by somd; edit the source instead.",
        *(["Fastmath: products are added without being rounded, sums go side by side."] if method.fastmath else []),
        '"""',
        "",
    ]
    if "math" in used:
        head += ["import math", ""]
    head += ["import numpy as np", "from numba import prange", ""]
    names = [name for name in offered_names() if name in used]
    head += ["from somd.runtime.multicore import (", *(f"    {name}," for name in names), ")", ""]
    head += [f"{name} = {_literal(value)}" for name, value in code.constants.items()]
    if code.master.name.value != method.name:
        head += [f"MASTER = {code.master.name.value!r}"]
    head += [f"PARTITIONS = {partitions_text(code.plan)}"]
    head += [f"RESULT = {result_text(code.types.result)}", f"WRITTEN = {written_text(code.plan)}"]
    if _in_pieces(code.plan):
        head += ["IN_PIECES = True"]
    fences = fences_text(code.plan, code.types)
    if fences:
        head += [f"FENCES = {fences}"]
    if code.uneven:
        head += ["UNEVEN = True"]
    if code.ranked:
        counted = any(phase.nest.copies or phase.nest.relaxed is not None for phase in code.plan.phases())
        head += ["RANKED = True", f"COUNTED = {counted}"]
    head += [f"SITES = {sites_text(code.plan.sites)}", f"HAS_FAULTS = {code.has_faults}"]
    if code.profiled:
        head += [f"PROFILED = {phases_text(code.plan)}"]
    if code.plan.raises:
        head += [f"RAISES = {raises_text(code.plan, code.types)}"]
    return "\n".join(head) + "\n" + text


def _literal(value: object) -> str:
    """The text of a captured number."""
    assert isinstance(value, int | float | complex | np.generic)
    return literal(value.item() if isinstance(value, np.generic) else value, type_of_value(value).dtype).text


def _in_pieces(plan: Plan) -> bool:
    """Whether every phase that a partitioner cuts runs sweep after sweep."""
    joined = [
        s for step in all_steps(plan) if isinstance(step, Uniform) and step.sweeps == Sweeps(0) for s in step.body
    ]
    cut = [p for p in plan.phases() if p.nest.partition is not None]
    return bool(cut) and all(any(p is s for s in joined) for p in cut)


def partitions_text(plan: Plan) -> str:
    """What cuts phases: the position of a parameter with a partitioner, or (position, partitioner) for a local that is
    as long as that parameter."""
    marked = {param.name: param for param in plan.method.marked}
    parts = []
    for root in partition_roots(plan):
        param = marked[root]
        position = plan.method.param_names.index(param.as_long_as or root)
        parts.append(f"{position}, " if param.as_long_as is None else f"({position}, {param.made_by}), ")
    return f"({''.join(parts).rstrip()})" if len(parts) != 1 else f"({parts[0].rstrip()})"


def result_text(result: Type | None) -> str:
    """The dtypes that scalars of the result get back (Numba returns Python numbers); None where nothing is to do."""
    if isinstance(result, ScalarType):
        return repr(None if result.weak else result.dtype)
    if isinstance(result, TupleType):
        return repr(tuple(None if isinstance(e, ArrayType) or e.weak else e.dtype for e in result.elements))
    return "None"


def written_text(plan: Plan) -> str:
    """The positions of the parameters that are written."""
    written = written_arrays(plan)
    return repr(tuple(k for k, name in enumerate(plan.method.param_names) if name in written))


def sites_text(sites: tuple[Site, ...]) -> str:
    """The table from site number to (file, line, array, axis, text), and the first index where it is known."""
    rows = [f"    {site.number}: {site.row!r}," for site in sites]
    return "\n".join(["{", *rows, "}"]) if rows else "{}"


def _renamed(function: cst.FunctionDef, method: Method) -> cst.FunctionDef:
    """The function with the user's names that are those of the module's own told apart from them."""
    clashing = sorted(method.local_names & {*reserved(), *BUILTINS})
    if not clashing:
        return function
    taken = {*_names(function), *method.local_names}
    given: dict[str, str] = {}
    for name in clashing:
        given[name] = apart(name, taken)
        taken.add(given[name])
    return cast(cst.FunctionDef, function.visit(_Rename(given)))


#: attributes that the user's arrays and numbers have, and that no module is asked for
OF_ARRAYS = ("shape", "size", "ndim", "real", "imag")


#: marks in front of names, and what is to be looked at more closely: lines of several statements, marks among texts
_MARKED = re.compile(rf"\b{MARK}")
_SEVERAL = re.compile(rf";|{MARK}[^\n]*['\"#]|['\"#][^\n]*{MARK}")


class _Finished(Transformer):
    """Takes marks off names, and puts the statements that stand for one that raises on lines of their own."""

    _anew = False

    def _inside(self, node: cst.CSTNode) -> cst.CSTNode:
        if type(node) is Verbatim and node.made is None and not _SEVERAL.search(node.text):
            return replace(node, text=_MARKED.sub("", node.text)) if MARK in node.text else node
        return super()._inside(node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        value = updated_node.value
        return updated_node.with_changes(value=value.removeprefix(MARK)) if value.startswith(MARK) else updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if not any(isinstance(small, cst.Raise | cst.Return) for small in updated_node.body[1:]):
            return updated_node
        lines = [cst.SimpleStatementLine([small]) for small in updated_node.body]
        lines[0] = lines[0].with_changes(leading_lines=updated_node.leading_lines)
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated_node.trailing_whitespace)
        return cst.FlattenSentinel(lines)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        if not any(isinstance(small, cst.Raise | cst.Return) for small in updated_node.body[1:]):
            return updated_node
        return cst.IndentedBlock([cst.SimpleStatementLine([small]) for small in updated_node.body])


class _Rename(Transformer):
    """Gives names others, except those that are called, decorate or are modules: not the user's."""

    _anew = False

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        given = self.names.get(updated_node.value)
        return updated_node if given is None else updated_node.with_changes(value=given)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if not isinstance(original_node.func, cst.Name) or updated_node.func is original_node.func:
            return updated_node
        return updated_node.with_changes(func=original_node.func)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        named = isinstance(original_node.value, cst.Name) and original_node.value.value in MODULES
        module = named and original_node.attr.value not in OF_ARRAYS
        if module:
            return original_node
        return with_own_label(original_node, updated_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)

    def leave_Decorator(self, original_node: cst.Decorator, updated_node: cst.Decorator) -> cst.Decorator:
        return original_node


def _names(function: cst.FunctionDef) -> set[str]:
    return {node.value for node in nodes_of(function, cst.Name)}
