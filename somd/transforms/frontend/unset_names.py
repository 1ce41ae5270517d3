"""Names that may have no value where they are read: plain Python then raises UnboundLocalError, and so does the method.

    for t in range(steps):              t_set = 0
        ...                             for t in range(steps):
    return t                   ->           t_set = 1
                                            ...
                                        if t_set < 1:
                                            raise UnboundLocalError(...)
                                        return t

In: a method and its distributed loops. Out: the method with such tests, where the master reads the name; a diagnostic
where a distributed loop reads it, or would have to tell that it has assigned it, where the name has no value on any
way, or where it is read in a part of an expression that may not be reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import cast

import libcst as cst
import numpy as np

from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.analysis.assignment import Unset, evaluated_before, unset_reads
from somd.transforms.stages import Method, Nest, Raising
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names, new_name, unused
from somd.transforms.tree.rewriting import Tracked, inside, parsed, rewritten
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import ScalarType, Type

TEXT = "raise UnboundLocalError(\"cannot access local variable '{}' where it is not associated with a value\")"

ONCE = "code that runs once raises UnboundLocalError, as Python does"
ITERATION = f"{ONCE}; iterations of a distributed loop do not"
ASSIGNED = f"{ONCE}; whether an iteration of a distributed loop has assigned a name is not known"
PART = f"{ONCE}; not in a part of an expression that may not be reached"
LATER = f"{ONCE}; an array or a tuple that is assigned further down is not tested"
HELPER = f"{ONCE}; helper functions do not"


def with_tested_names(method: Method, nests: Sequence[Nest], types: Mapping[str, Type] | None = None) -> Method:
    """`method`, which distributes `nests`, with a test before each read of a name that may have no value; the same if
    there is none. With `types`, a name that is assigned further down has a value that nothing reads, for Numba.

    Raises:
        SomdCompileError: SOMD209, for the reads that have no such form.
    """
    if method.tested:
        return method
    names = method.local_names - set(method.param_names)
    reads = unset_reads(statements_of(method.function.body), method, method.param_names, names)
    if not reads:
        return method
    collector = Collector()
    for diagnostic in _refused(method, reads, nests):
        collector.add(diagnostic)
    later = _assigned_later(method, reads)
    zeros = {name: _zero(types.get(name)) for name in later} if types is not None else {}
    for name, zero in zeros.items():
        if zero is None:
            collector.add(_diagnostic(method, later[name], name, LATER))
    collector.raise_if_errors()
    tester = _Tester(method, reads, [nest.dims[0].node for nest in nests])
    body = cast(cst.IndentedBlock, method.function.body.visit(tester))
    first = parsed(*(f"{flag} = 0" for flag in tester.flags.values()))
    first += [tester.zero(name, *zero) for name, zero in zeros.items() if zero is not None]
    for node in first:
        tester.place(node, method.position(method.function.name))
    function = method.function.with_changes(body=body.with_changes(body=[*first, *body.body]))
    tester.positions[function] = method.position(method.function)
    made = rewritten(method, function, tester.positions)
    return replace(made, namespace=tester.namespace, tested=frozenset(tester.flags))


def check_values(method: Method) -> None:
    """A helper, whose names have values wherever they are read.

    Raises:
        SomdCompileError: SOMD209, one may have none.
    """
    names = method.local_names - set(method.param_names)
    reads = unset_reads(statements_of(method.function.body), method, method.param_names, names)
    collector = Collector()
    for read in reads:
        for name in read.names:
            collector.add(_diagnostic(method, read, name, "" if name in read.always else HELPER))
    collector.raise_if_errors()


def _refused(method: Method, reads: Sequence[Unset], nests: Sequence[Nest]) -> list[Diagnostic]:
    """Why some of the reads cannot be tested, the first reason of each name."""
    found: dict[str, Diagnostic] = {}
    loops = [nest.dims[0].node for nest in nests]
    # What is accumulated has a value behind a loop if it had one before.
    assigned = [assigned_names(nest.dims[0].node) - {r.name for r in nest.reductions} for nest in nests]
    in_nests = frozenset[str]().union(*assigned)
    for read in reads:
        for name in read.names:
            why = None
            if name in read.always:
                why = ""
            elif inside(read.statement, loops):
                why = ITERATION
            elif name in in_nests:
                why = ASSIGNED
            elif name in read.perhaps:
                why = PART
            if why is not None:
                found.setdefault(name, _diagnostic(method, read, name, why))
    return list(found.values())


def _diagnostic(method: Method, read: Unset, name: str, why: str) -> Diagnostic:
    """`why` tells why the read is not tested; nothing if the name has no value in any case."""
    message = f"`{name}` {'may have' if why else 'has'} no value here"
    labels = (Label(method.position(_name_in(read.statement, name, method)), f"read of `{name}`", True),)
    helps = (f"give `{name}` a value on every way that leads here: before the loop or the `if` that sets it",)
    return Diagnostic("SOMD209", message, labels, helps, (why,) if why else ())


def _name_in(node: cst.CSTNode, name: str, method: Method) -> cst.CSTNode:
    """A read of `name` in a statement, or else what stands for it."""
    parts = [part for part in nodes_in(_header(node)) if isinstance(part, cst.Name) and part.value == name]
    return next((part for part in reversed(parts) if part in method.positions), _header(node))


def _assigned_later(method: Method, reads: Sequence[Unset]) -> dict[str, Unset]:
    """The names that are read, as the text goes, before they are assigned; with the first such read."""
    found: dict[str, Unset] = {}
    wanted = {read.statement: read for read in reads}
    assigned: set[str] = set()

    for node in nodes_in(method.function.body):
        read = wanted.get(node)
        if read is not None:
            found.update({name: read for name in read.names if name not in assigned and name not in found})
        if isinstance(node, cst.For):
            assigned.update(assigned_names(node) - assigned_names(node.body))
        elif isinstance(node, cst.BaseSmallStatement):
            assigned.update(assigned_names(node))
    return found


def _zero(found: Type | None) -> tuple[str, str] | None:
    """The dtype and the text of a zero of a type, no dtype for Python's own numbers; None if it is no number."""
    if not isinstance(found, ScalarType):
        return None
    text = {"b": "False", "c": "0j"}.get(found.kind, "0.0" if found.kind == "f" else "0")
    return ("" if found.weak else found.dtype), text


def _header(node: cst.CSTNode) -> cst.CSTNode:
    if isinstance(node, cst.If | cst.While):
        return node.test
    return node.iter if isinstance(node, cst.For) else node


class _Tester(Tracked):
    """Notes where names get values, and tests them where they are read."""

    def __init__(self, method: Method, reads: Sequence[Unset], loops: Sequence[cst.For]) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.reads = {read.statement: read for read in reads}
        self.namespace: dict[str, object] = dict(method.namespace)
        self.taken = {*method.local_names, *method.namespace}
        #: the number that tells whether a name has a value, by name
        names = sorted({name for read in reads for name in read.names})
        self.flags = {name: new_name(f"{name}_set", self.taken) for name in names}
        #: distributed loops, and how many of them are around
        self.loops = loops
        self.depth = 0
        #: each `elif`
        self.branches: list[cst.If] = []

    def zero(self, name: str, dtype: str, text: str) -> cst.BaseStatement:
        """The statement that gives a name a zero."""
        if dtype:
            kind = unused(dtype, self.namespace, self.method.local_names)
            self.namespace[kind] = np.dtype(dtype).type
            text = f"{kind}({text})"
        return parsed(f"{name} = {text}")[0]

    def tests(self, node: cst.CSTNode) -> list[cst.BaseStatement]:
        """The tests before a statement."""
        made: list[cst.BaseStatement] = []
        for name in self.reads[node].names if node in self.reads else ():
            raised = unused("unset", self.namespace)
            place = self.method.position(_name_in(node, name, self.method))
            text = TEXT.format(self.method.spelled.get(name, name))
            self.namespace[raised] = Raising(text, place, (), function_at(self.method, place))
            before = [self.evaluated(each) for each in evaluated_before(_header(node), name)]
            test = cst.ensure_type(parsed(f"if {self.flags[name]} < 1:\n    raise {raised}()\n")[0], cst.If)
            body = cst.ensure_type(test.body, cst.IndentedBlock)
            made.append(test.with_changes(body=body.with_changes(body=[*before, *body.body])))
            self.place(made[-1], place)
        return made

    def evaluated(self, value: cst.BaseExpression) -> cst.BaseStatement:
        """What a statement evaluates before it reads a name without a value: its exception comes first."""
        copy = value.deep_clone()
        for old, new in zip(nodes_in(value), nodes_in(copy), strict=True):
            if old in self.method.positions:
                self.positions[new] = self.method.positions[old]
        target = cst.Name(new_name("before", self.taken))
        return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], copy)])

    def noted(self, names: set[str], node: cst.CSTNode) -> list[cst.BaseStatement]:
        """That names have values behind a statement."""
        if self.depth:
            return []
        made = parsed(*(f"{self.flags[name]} = 1" for name in sorted(names & self.flags.keys())))
        for each in made:
            self.place(each, self.method.position(node))
        return made

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        made = self.lines(original_node, updated_node)
        if len(made) == len(original_node.body):
            return updated_node
        made[0] = made[0].with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel(made)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        made = self.lines(original_node, updated_node)
        return updated_node if len(made) == len(original_node.body) else cst.IndentedBlock(made)

    def lines(
        self,
        original: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        updated: cst.SimpleStatementLine | cst.SimpleStatementSuite,
    ) -> list[cst.BaseStatement]:
        """The small statements of a line, one a line, with tests before and notes behind."""
        made: list[cst.BaseStatement] = []
        for old, new in zip(original.body, updated.body, strict=True):
            line = cst.SimpleStatementLine([new.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
            self.place(line, self.method.position(old))
            assigns = isinstance(old, cst.Assign | cst.AnnAssign | cst.AugAssign) and getattr(old, "value", None)
            made += [*self.tests(old), line, *(self.noted(assigned_names(old), old) if assigns else ())]
        return made

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        self.depth -= self.distributed(original_node)
        target = original_node.target
        first = self.noted({target.value} if isinstance(target, cst.Name) else set(), original_node)
        if first:
            body = cst.IndentedBlock([*first, *cast(list[cst.BaseStatement], statements_of(updated_node.body))])
            updated_node = updated_node.with_changes(body=body)
        return self.behind_tests(original_node, updated_node)

    def visit_For(self, node: cst.For) -> None:
        self.depth += self.distributed(node)

    def distributed(self, node: cst.For) -> bool:
        return any(node is loop for loop in self.loops)

    def leave_While(
        self, original_node: cst.While, updated_node: cst.While
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        return self.behind_tests(original_node, updated_node)

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        other = original_node.orelse
        if isinstance(other, cst.If) and other in self.reads:
            block = cst.IndentedBlock([*self.tests(other), cast(cst.If, updated_node.orelse)])
            updated_node = updated_node.with_changes(orelse=cst.Else(block))
            self.place(updated_node, self.method.position(original_node))
        if any(original_node is each for each in self.branches):
            return updated_node
        return self.behind_tests(original_node, updated_node)

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            self.branches.append(node.orelse)

    def behind_tests(
        self, original: cst.CSTNode, updated: cst.BaseStatement
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        tests = self.tests(original)
        if not tests:
            return updated
        self.place(updated, self.method.position(original))
        return cst.FlattenSentinel([*tests, updated])


def function_at(method: Method, place: Position) -> FunctionType:
    """The function that a place stands in, of those that are written out in the method."""
    codes = [(f.__code__.co_firstlineno, k) for k, f in enumerate(method.functions) if _file(f) == place.file]
    return method.functions[max(((line, -k) for line, k in codes if line <= place.line), default=(0, 0))[1] * -1]


def _file(function: FunctionType) -> str:
    return function.__code__.co_filename
