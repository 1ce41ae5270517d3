"""Chained assignments as one assignment for each target: the value is computed once, the targets follow from left to
right. So do the parts of a tuple where a part is reached through a name that one before it sets.

    s = t = 0.0             ->   s = 0.0; t = 0.0
    a[i] = b[i] = x * y     ->   value__once = x * y; a[i] = value__once; ...
    p = q = len(a) - 1      ->   p = len(a) - 1; q = p           where `p` is assigned nowhere else
    k, a[k] = 1, x          ->   value__once, value__once_2 = 1, x; k = value__once; a[k] = value__once_2
    x, y = np.zeros(n), a.copy()   ->   x = np.zeros(n); y = a.copy()

A block with several fences is one in the other: `with sync(a, reduce="+"), sync(b, reduce="+"):`. Each statement gets a
line of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

import libcst as cst
import numpy as np

from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names, evaluate, names_read, target_parts, unused
from somd.transforms.tree.rewriting import MethodRewriter
from somd.transforms.tree.walking import nodes_of


def single_assignments(method: Method) -> Method:
    """`method` without chained assignments, but for those whose targets are tuples, and with a block for each fence."""
    return _Chains(method).rewritten()


ALLOCATING = (np.empty, np.zeros, np.ones, np.full, np.empty_like, np.zeros_like, np.ones_like, np.full_like)
#: assignments that are no loops
ASSIGNING = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)


class _Chains(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        places = [_targets(node) for node in nodes_of(method.function.body, cst.For, *ASSIGNING)]
        self.assigned = Counter([*method.param_names, *(name for names in places for name in names)])

    def leave_Assign(
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        targets = [each.target for each in updated_node.targets]
        apart = self.apart(original_node, updated_node)
        if apart:
            return cst.FlattenSentinel(apart)
        if len(targets) == 1 and _in_turn(targets[0]):
            return cst.FlattenSentinel(self.in_turn(original_node, updated_node))
        if len(targets) < 2 or not all(isinstance(each, cst.Name | cst.Subscript) for each in targets):
            return updated_node
        value, place = updated_node.value, self.positions[original_node]
        first = targets[0]
        if _constant(value):
            values = [value, *(value.deep_clone() for _ in targets[1:])]
        elif isinstance(first, cst.Name) and self.assigned[first.value] == 1:
            values = [value, *(cst.Name(first.value) for _ in targets[1:])]
        else:
            name = self.name(cst.Module([]).code_for_node(original_node.value))
            targets, values = [cst.Name(name), *targets], [value, *(cst.Name(name) for _ in targets)]
        made = [cst.Assign([cst.AssignTarget(t)], v) for t, v in zip(targets, values, strict=True)]
        for each in made:
            self.place(each, place)
        return cst.FlattenSentinel(made)

    def apart(self, original: cst.Assign, updated: cst.Assign) -> list[cst.Assign]:
        """New arrays as an assignment each, where no value reads a name that is given before it."""
        [target, *others], value = (each.target for each in updated.targets), updated.value
        if others or not (isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple)):
            return []
        names = [each.value.value for each in target.elements if isinstance(each.value, cst.Name)]
        values = [each.value for each in value.elements if isinstance(each, cst.Element)]
        plain = len(names) == len(target.elements) == len(values) == len(value.elements)
        late = any(names_read(each) & set(names[:k]) for k, each in enumerate(values))
        if not plain or late or not all(map(self.makes, values)):
            return []
        made = [cst.Assign([cst.AssignTarget(cst.Name(n))], v) for n, v in zip(names, values, strict=True)]
        for each in made:
            self.place(each, self.positions[original])
        return made

    def makes(self, node: cst.BaseExpression) -> bool:
        """Whether an expression allocates or copies an array."""
        if not isinstance(node, cst.Call):
            return False
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "copy" and not node.args:
            return True
        function = evaluate(node.func, self.method.namespace, self.method.local_names)
        return any(function is each for each in ALLOCATING)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if len(updated_node.body) < 2:
            return updated_node
        lines = self.lines(updated_node.body, original_node)
        return cst.FlattenSentinel([lines[0].with_changes(leading_lines=updated_node.leading_lines), *lines[1:]])

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        if len(updated_node.body) < 2:
            return updated_node
        return cst.IndentedBlock(self.lines(updated_node.body, original_node))

    def lines(self, statements: Sequence[cst.BaseSmallStatement], around: cst.CSTNode) -> list[cst.SimpleStatementLine]:
        """A line for each statement."""
        made = []
        for small in statements:
            bare = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            made.append(cst.SimpleStatementLine([bare]))
            place = self.positions.get(small) or self.positions[around]
            self.place(bare, place)
            self.place(made[-1], place)
        return made

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        if len(updated_node.items) < 2:
            return updated_node
        place, made = self.positions[original_node], updated_node
        for old, item in reversed([*zip(original_node.items, updated_node.items, strict=True)]):
            alone = item.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            self.place(alone, self.positions[old])
            body = made.body if made is updated_node else cst.IndentedBlock([made.with_changes(leading_lines=())])
            made = updated_node.with_changes(items=[alone], body=body)
            self.place(made, place)
        return made

    def in_turn(self, original: cst.Assign, updated: cst.Assign) -> list[cst.BaseSmallStatement]:
        """All values get names at once, then each part its own."""
        text = cst.Module([]).code_for_node(original.value)
        target = updated.targets[0].target
        names = {part: self.name(text) for part in target_parts(target)}
        held = cast(cst.BaseAssignTargetExpression, _with_parts(target, names))
        made = [updated.with_changes(targets=[cst.AssignTarget(held)])]
        for part, name in names.items():
            made.append(cst.Assign([cst.AssignTarget(cast(cst.BaseAssignTargetExpression, part))], cst.Name(name)))
        for each in made:
            self.place(each, self.positions[original])
        return list(made)

    def name(self, text: str) -> str:
        name = unused("value__once", self.method.local_names, self.method.namespace, self.spelled)
        self.spelled[name] = " ".join(text.split())
        return name


def _targets(node: cst.CSTNode) -> set[str]:
    """The names that a node itself assigns."""
    if isinstance(node, cst.For):
        return names_read(node.target)
    return assigned_names(node) if isinstance(node, ASSIGNING) else set()


def _in_turn(target: cst.CSTNode) -> bool:
    """Whether a part of a tuple is reached through a name that a part before it sets."""
    given: set[str] = set()
    for part in target_parts(target):
        if isinstance(part, cst.Name):
            given.add(part.value)
        elif names_read(part) & given:
            return True
    return False


def _with_parts(target: cst.CSTNode, names: dict[cst.CSTNode, str]) -> cst.CSTNode:
    """A target of the same form with names for its parts."""
    if target in names:
        return cst.Name(names[target])
    assert isinstance(target, cst.Tuple | cst.List)
    inner = [each.with_changes(value=_with_parts(each.value, names)) for each in target.elements]
    return target.with_changes(elements=inner)


def _constant(node: cst.BaseExpression) -> bool:
    """Whether an expression is a number that is written out, or a row of such."""
    if isinstance(node, cst.Tuple | cst.List):
        return all(_constant(each.value) for each in node.elements)
    if isinstance(node, cst.UnaryOperation):
        return _constant(node.expression)
    return isinstance(node, cst.BaseNumber) or (isinstance(node, cst.Name) and node.value in ("True", "False"))
