"""Tests for None, and of texts, decided before a method runs: code is compiled for each of these, as for a type.

    if out is None:                      ->   out = np.empty_like(a)        (where `out` is None)
        out = np.empty_like(a)                                              (nothing, where it is given)
    x = 1.0 if w is None else w          ->   x = w                         (where `w` is given)
    if mode.lower() == "edge": k = 0     ->   k = 0                         (where `mode` is "Edge")

In: a `Method` and what its paths mean. Out: a `Method` in which a branch that is not taken is gone, unseen by other
passes. A name that is None, or a text, is followed through the statements until it is given another value. Reading
None is refused (SOMD204), and so is a test that has different results on different paths (SOMD202).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.capture.paths import NUMBER
from somd.capture.reach import Constant, Key, Meaning
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.frontend.raises import raising_of
from somd.transforms.frontend.taken_paths import path_of
from somd.transforms.frontend.text_tests import Text, called, compared, literal, text, with_texts
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.names import assigned_names, evaluate, names_read, unused
from somd.transforms.tree.rewriting import Tracked, rewritten, with_own_label
from somd.transforms.tree.walking import holds, nodes_of

NONE = Constant(None)
#: names that may be None, and whether they are on all paths, and names that stand for texts; all others have values
State = dict[str, bool | Text]


def without_none_tests(
    method: Method,
    meanings: Mapping[Key, Meaning],
    given: Mapping[str, object],
    owner: str | None,
    collector: Collector,
) -> Method:
    """`method` with its tests for None, and of texts, decided; `given` are the parameters that are None or a text,
    `owner` is its class's name.

    A name that is assigned is then a local from its first value on.
    """
    body = method.function.body
    texts = any(isinstance(each, str) for each in given.values()) or _holds_text(body)
    asked = any(type(node) is not cst.Name or _none(node) for node in nodes_of(body, cst.Is, cst.IsNot, cst.Name))
    if not asked and not texts and not set(given) & assigned_names(body):
        return method
    folder = _Folder(method, meanings, assigned_names(body), owner, collector)
    first: State = {name: Text(each) if isinstance(each, str) else True for name, each in given.items()}
    made, _ = folder.block(statements_of(body), first)
    if not folder.changed:
        return method
    method = replace(method, namespace=folder.namespace, chosen=True)
    block = cst.IndentedBlock(made or [folder.nothing()])
    function = method.function.with_changes(body=block)
    folder.positions[block] = method.position(body)
    folder.positions[function] = method.position(method.function)
    return rewritten(method, function, folder.positions)


class _Folder(Tracked):
    """Folds the expressions of one statement at a time, in the state before it."""

    def __init__(
        self,
        method: Method,
        meanings: Mapping[Key, Meaning],
        stored: Collection[str],
        owner: str | None,
        collector: Collector,
    ) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.meanings = meanings
        self.stored = stored
        self.owner = owner
        self.collector = collector
        self.changed = False
        self.namespace: dict[str, object] = dict(method.namespace)
        self.state: State = {}

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[cst.CSTNode], state: State) -> tuple[list[cst.BaseStatement], State | None]:
        """The statements that are left, and the state behind them; None where no path comes there."""
        made: list[cst.BaseStatement] = []
        now: State | None = state
        for statement in statements:
            if now is None:
                self.changed = True
                break
            lines, now = self.statement(cast(cst.BaseStatement, statement), now)
            made += lines
        return made, now

    def statement(self, node: cst.BaseStatement, state: State) -> tuple[list[cst.BaseStatement], State | None]:
        if isinstance(node, cst.SimpleStatementLine):
            return self.line(node, dict(state))
        if isinstance(node, cst.If):
            return self.branches(node, state)
        if isinstance(node, cst.For | cst.While):
            return self.loop(node, state)
        if isinstance(node, cst.With):
            items = [self.folded(item, state) for item in node.items]
            made, after = self.block(statements_of(node.body), state)
            return [self.with_body(node.with_changes(items=items), node, made)], after
        return [node], state

    def line(self, node: cst.SimpleStatementLine, state: State) -> tuple[list[cst.BaseStatement], State | None]:
        left: list[cst.BaseSmallStatement] = []
        for small in node.body:
            targets = [each.target for each in small.targets] if isinstance(small, cst.Assign) else []
            targets = [small.target] if isinstance(small, cst.AnnAssign) else targets
            value = small.value if isinstance(small, cst.Assign | cst.AnnAssign) else None
            names = [target.value for target in targets if isinstance(target, cst.Name)]
            if _none(value) and len(names) == len(targets):
                self.changed = True
                state.update(dict.fromkeys(names, True))
                continue
            folded = cast(cst.BaseSmallStatement, self.folded(small, state))
            found = text(getattr(folded, "value", None)) if value is not None and len(names) == len(targets) else None
            if found is not None:
                self.changed = True
                state.update(dict.fromkeys(names, Text(found)))
                continue
            left.append(folded)
            if not isinstance(small, cst.AnnAssign) or value is not None:
                for name in assigned_names(small):
                    state.pop(name, None)
            if isinstance(small, cst.Return | cst.Raise | cst.Break | cst.Continue):
                return [self.copied(node, body=left)], None
        return ([self.copied(node, body=left)] if left else []), state

    def branches(self, node: cst.If, state: State) -> tuple[list[cst.BaseStatement], State | None]:
        test = cast(cst.BaseExpression, self.folded(node.test, state))
        known = self.decided(node.test, test)
        if known is not None:
            self.changed = True
            return self.block(statements_of(node.body) if known else else_statements(node), dict(state))
        vain = self.in_vain(node.test, test)
        if vain is not None:
            lines, after = self.block(statements_of(node.body) if vain[0] else else_statements(node), dict(state))
            return [self.asked(node, vain[1]), *lines], after
        body, first = self.block(statements_of(node.body), dict(state))
        other, second = self.block(else_statements(node), dict(state))
        made = self.with_body(node.with_changes(test=test), node, body)
        if node.orelse is not None:
            alone = isinstance(node.orelse, cst.If) and len(other) == 1 and isinstance(other[0], cst.If)
            orelse = other[0] if alone else cst.Else(cst.IndentedBlock(other)) if other else None
            made = self.copied(node, made, orelse=orelse)
        return [made], joined(first, second)

    def loop(self, node: cst.For | cst.While, state: State) -> tuple[list[cst.BaseStatement], State | None]:
        given = assigned_names(node.body)
        named = {name for name in given if name in state or name in _set_to_none(node.body)}
        entered = {**state, **{name: unsure(state.get(name, False)) for name in named}}
        if isinstance(node, cst.While):
            test = cast(cst.BaseExpression, self.folded(node.test, entered))
            if self.decided(node.test, test) is False:
                self.changed = True
                return self.block(() if node.orelse is None else statements_of(node.orelse.body), state)
            vain = self.in_vain(node.test, test)
            if vain is not None and not vain[0]:
                left, behind = self.block(() if node.orelse is None else statements_of(node.orelse.body), state)
                return [self.asked(node, vain[1]), *left], behind
            made: cst.BaseStatement = node.with_changes(test=test)
        else:
            made = node.with_changes(iter=self.folded(node.iter, state))
            for name in assigned_names(cst.AssignTarget(node.target)):
                entered.pop(name, None)
        body, after = self.block(statements_of(node.body), dict(entered))
        made = self.with_body(made, node, body)
        behind = joined(entered, after)
        if node.orelse is not None:
            other, behind = self.block(statements_of(node.orelse.body), dict(behind or {}))
            orelse = cst.Else(cst.IndentedBlock(other)) if other else None
            made = self.copied(node, made, orelse=orelse)
        return [made], joined(entered, behind)

    # --- making statements ---------------------------------------------------------------------------------------

    def with_body(self, made: cst.BaseStatement, node: cst.CSTNode, body: list[cst.BaseStatement]) -> cst.BaseStatement:
        block = cst.IndentedBlock(body or [self.nothing()])
        self.positions[block] = self.method.position(node)
        return self.copied(node, made, body=block)

    def copied(self, node: cst.CSTNode, made: cst.CSTNode | None = None, **changes: object) -> cst.BaseStatement:
        copy = (node if made is None else made).with_changes(**changes)
        if isinstance(node, cst.SimpleStatementLine) and node not in self.method.positions:
            node = node.body[0]  # of a suite in one line, which has no line of its own
        self.positions[copy] = self.method.position(node)
        return cast(cst.BaseStatement, copy)

    def nothing(self) -> cst.BaseStatement:
        line = cst.SimpleStatementLine([cst.Pass()])
        self.place(line, self.method.position(self.method.function))
        return line

    # --- expressions ---------------------------------------------------------------------------------------------

    def folded(self, node: cst.CSTNode, state: State) -> cst.CSTNode:
        self.state = state
        made = cast(cst.CSTNode, node.visit(self)) if self.has_tests(node) else node
        for name in sorted(names_read(self.read_in(made)) & state.keys() & set(self.stored)):
            if not isinstance(known := state[name], Text):
                self.report_read(name, made, known)
        return made

    def has_tests(self, node: cst.CSTNode) -> bool:
        known = {name for name, each in self.state.items() if isinstance(each, Text)}
        return (
            holds(node, cst.Is, cst.IsNot, cst.SimpleString)
            or not known.isdisjoint(names_read(node))
            or self.has_text(node)
        )

    def has_text(self, node: cst.CSTNode) -> bool:
        """Whether a text is read of an object, or captured."""
        return any(self.text_at(each) is not None for each in nodes_of(node, cst.Attribute, cst.Name))

    def text_at(self, node: cst.CSTNode) -> str | None:
        """The text that a name, or an attribute, stands for."""
        path = path_of(node, self.owner)
        if (
            path is None
            or not isinstance(node, cst.Name | cst.Attribute)
            or path[0] in self.stored
            or path[0] in self.state
        ):
            return None
        meaning = self.meanings.get(path)
        value = evaluate(node, self.method.namespace, self.method.local_names)
        value = meaning.value if isinstance(meaning, Constant) else value
        return value if type(value) is str else None

    # --- texts ---------------------------------------------------------------------------------------------------

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        return not isinstance(node.target, cst.Name)

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        known = self.state.get(original_node.value)
        if not isinstance(known, Text):
            found = self.text_at(original_node)
            return updated_node if found is None else self.constant(found, original_node)
        if known.value is None:
            self.report_texts(original_node)
        return self.constant(known.value or "", original_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        found = self.text_at(original_node)
        return with_own_label(original_node, updated_node) if found is None else self.constant(found, original_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        value = original_node.value
        taken = isinstance(value, cst.Name | cst.Attribute) and text(updated_node.value) is not None
        path = path_of(value, self.owner) if taken else None
        if path is not None and path[0] not in self.stored:
            updated_node = updated_node.with_changes(value=value)  # what the function takes is found by this path
        return with_own_label(original_node, updated_node)

    def is_no_text(self, node: cst.BaseExpression) -> bool:
        """Whether a name is None, or a parameter that is a number in this call: no text."""
        if isinstance(node, cst.Name) and self.state.get(node.value) is True:
            return True
        known = isinstance(node, cst.Name) and node.value not in self.stored
        return known and self.meanings.get((cst.ensure_type(node, cst.Name).value, NUMBER)) == Constant(True)

    def leave_Raise(self, original_node: cst.Raise, updated_node: cst.Raise) -> cst.Raise:
        """What is raised holds the texts that are among its values."""
        if not isinstance(original_node.exc, cst.Call) or not isinstance(updated_node.exc, cst.Call):
            return updated_node
        known = [self.text_of(each.value) for each in original_node.exc.args]
        if known.count(None) == len(known):
            return updated_node
        name, raising = raising_of(original_node, self.method)
        texts = {part: each for part, each in zip(raising.values, known, strict=True) if each is not None}
        own = unused(name, self.namespace, self.method.local_names)
        left = tuple(each for each in raising.values if each not in texts)
        self.namespace[own] = replace(raising, text=with_texts(raising.text, texts), values=left)
        args = [each for each, value in zip(updated_node.exc.args, known, strict=True) if value is None]
        made = cst.Raise(cst.Call(cst.Name(own), args))
        self.place(made, self.positions[original_node])
        return made

    def text_of(self, node: cst.BaseExpression) -> str | None:
        """The text that a value of what is raised stands for."""
        known = self.state.get(node.value) if isinstance(node, cst.Name) else None
        return known.value if isinstance(known, Text) else self.text_at(node)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        found = called(updated_node)
        return updated_node if found is None else self.constant(found, original_node)

    def read_in(self, node: cst.CSTNode) -> cst.CSTNode:
        """What of a statement is read: not the names that it assigns."""
        if isinstance(node, cst.Assign):
            plain = [t.target for t in node.targets if not isinstance(t.target, cst.Name)]
            return cst.Tuple([cst.Element(e) for e in (node.value, *map(_subscripts, plain))])
        if isinstance(node, cst.AnnAssign):
            return cst.Tuple([]) if node.value is None else node.value
        return node

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        same = compared(updated_node, self.is_no_text(original_node.left))
        if same is not None:
            return self.constant(same, original_node)
        if len(original_node.comparisons) != 1:
            return updated_node
        target = original_node.comparisons[0]
        right = target.comparator
        if not isinstance(target.operator, cst.Is | cst.IsNot) or not _none(right):
            return updated_node
        found = self.is_none(original_node.left)
        if found is None:
            return updated_node
        return self.constant(found == isinstance(target.operator, cst.Is), original_node)

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        known = self.decided(original_node.expression, updated_node.expression)
        if known is None or not isinstance(updated_node.operator, cst.Not):
            return updated_node
        return self.constant(not known, original_node)

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        known = self.decided(original_node.left, updated_node.left)
        if known is None:
            return updated_node
        ends = known != isinstance(updated_node.operator, cst.And)
        return self.constant(known, original_node) if ends else self.enclosed(updated_node.right)

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        known = self.decided(original_node.test, updated_node.test)
        vain = self.in_vain(original_node.test, updated_node.test)
        if vain is not None:
            self.changed = True
            left = updated_node.body if vain[0] else updated_node.orelse
            other = left.deep_clone()
            self.place(other, self.positions[original_node])
            return updated_node.with_changes(test=vain[1], body=left, orelse=other)
        if known is None:
            return updated_node
        return self.enclosed(updated_node.body if known else updated_node.orelse)

    def decided(self, original: cst.BaseExpression, updated: cst.BaseExpression) -> bool | None:
        """The value of an operand that a test for None has become."""
        return truth(updated) if truth(original) is None else None

    def in_vain(
        self, original: cst.BaseExpression, updated: cst.BaseExpression
    ) -> tuple[bool, cst.BaseExpression] | None:
        """The truth of `k > 0 and x is not None` where its last operand tells it, and what is asked before that."""
        if not isinstance(original, cst.BooleanOperation) or not isinstance(updated, cst.BooleanOperation):
            return None
        value = isinstance(updated.operator, cst.Or)
        if self.decided(original.right, updated.right) == value:
            return value, updated.left
        first, last = self.in_vain(original.left, updated.left), self.in_vain(original.right, updated.right)
        if first is not None and first[0] == value:
            return first
        if last is not None and last[0] == value:
            return value, updated.with_changes(right=self.enclosed(last[1]))
        return None

    def asked(self, node: cst.BaseStatement, test: cst.BaseExpression) -> cst.BaseStatement:
        """A test that tells nothing, but may fail."""
        self.changed = True
        alone = cst.If(test, cst.IndentedBlock([self.nothing()]))
        self.positions[alone.body] = self.method.position(node)
        return self.copied(node, alone)

    def constant(self, value: bool | str, node: cst.CSTNode) -> cst.BaseExpression:
        self.changed = True
        made = literal(value)
        self.place(made, self.positions[node])
        return made

    def is_none(self, node: cst.BaseExpression) -> bool | None:
        """Whether a value is None; None where that is not known."""
        if isinstance(node, cst.Name) and isinstance(self.state.get(node.value), Text):
            return False
        if isinstance(node, cst.Name) and node.value in self.state:
            if not self.state[node.value]:
                self.report_unknown(node)
            return True
        path = path_of(node, self.owner)
        if path is None:
            return None
        if path[0] in self.stored:  # it has been given a value, or is no parameter
            return False
        if self.meanings.get(path) == NONE:
            return True
        return evaluate(node, {**self.method.namespace, "None": None}, self.method.local_names) is None

    def report_read(self, name: str, node: cst.CSTNode, always: bool) -> None:
        place = self.positions.get(node, self.method.position(self.method.function.name))
        message = f"`{name}` is None here, and used as a value"
        if not always:
            message = f"`{name}` may be None here, and is used as a value"
        helps = (
            f"give it a value first: `if {name} is None: {name} = ...`, outside of loops and other conditions",
            f"test it with `{name} is None`, not for its truth or with `==`",
        )
        self.collector.add(Diagnostic("SOMD204", message, (Label(place, "used here", True),), helps))

    def report_texts(self, node: cst.Name) -> None:
        message = f"which text `{node.value}` is, is not known before the method runs"
        label = Label(self.method.position(node), "here", True)
        helps = ("keep a number for what was chosen", "pass the text to the method, and give the name no other")
        self.collector.add(Diagnostic("SOMD202", message, (label,), helps))

    def report_unknown(self, node: cst.Name) -> None:
        message = f"whether `{node.value}` is None is not known before the method runs"
        helps = ("use a number or a truth value of its own for what is not there yet: `found = False`",)
        label = Label(self.method.position(node), "here", True)
        self.collector.add(Diagnostic("SOMD202", message, (label,), helps))


def _holds_text(body: cst.CSTNode) -> bool:
    """Whether there is a text, other than one that stands alone, as those do that say what a function does."""
    alone = {each.value for each in nodes_of(body, cst.Expr)}
    return any(each not in alone for each in nodes_of(body, cst.SimpleString))


def _none(node: cst.CSTNode | None) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


def truth(node: cst.BaseExpression) -> bool | None:
    """The value of `True` or `False`, or of a text."""
    known = text(node)
    if known is not None:
        return bool(known)
    return node.value == "True" if isinstance(node, cst.Name) and node.value in ("True", "False") else None


def joined(first: State | None, second: State | None) -> State | None:
    """The state behind two paths."""
    if first is None or second is None:
        return second if first is None else first
    made: State = {}
    for name in {**first, **second}:
        one, other = first.get(name, False), second.get(name, False)
        made[name] = one if one == other else unsure(one or other)
    return made


def unsure(known: bool | Text) -> bool | Text:
    """What is known of a name that is another one on some path."""
    return Text(None) if isinstance(known, Text) else False


def _subscripts(target: cst.BaseExpression) -> cst.BaseExpression:
    """The parts of a target that are read: elements, not names."""
    if not isinstance(target, cst.Tuple | cst.List):
        return target
    return cst.Tuple([cst.Element(_subscripts(e.value)) for e in target.elements if not isinstance(e.value, cst.Name)])


def _set_to_none(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    for each in nodes_of(node, cst.Assign, cst.AnnAssign):
        if isinstance(each, cst.Assign | cst.AnnAssign) and _none(each.value):
            found |= assigned_names(each)
    return found
