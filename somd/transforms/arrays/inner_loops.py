"""Loops of array statements that work element by element go into the loops over the elements (*loop interchange*).

    for t in range(n):                 for at in ...: x_, y_ = x[at], y[at]
        new = x * x - y          ->        for t in range(n): new_ = x_ * x_ - y_; y_ = y_ + 0.5 * x_; x_ = new_
        y += 0.5 * x                       x[at], y[at] = x_, y_
        x = new

Every turn of such a loop would bring its arrays through memory; now an element stays in registers for all of them. Each
sees the same operations in the same order. Arrays are of one shape there, and nothing can fail once that has been
tested. An array that no statement outside of the loop mentions is not made, nor is a copy that the loop alone works on;
one that is bound anew in it is the method's own, and reached by no other name. With one array for two parameters
nothing is done.

In: a `for` around assignments of whole arrays. Out: a nest around that loop, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

import libcst as cst

from somd.transforms.arrays.broadcasting import OUTPUT
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.element_reads import FLOAT_UPDATES, TOTAL_UPDATES
from somd.transforms.arrays.expressions import Expressions, NotTaken
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.nests import Nests
from somd.transforms.arrays.values import Value
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import nodes_in, nodes_of
from somd.transforms.types.scalars import AUGMENTED, ArrayType

#: the most statements of such a loop: more would need more registers than there are
MOST = 12
Update = cst.Assign | cst.AugAssign


class InnerLoops:
    """Makes such nests for a method."""

    def __init__(self, expressions: Expressions, nests: Nests, contraction: Contraction, aliases: bool) -> None:
        self.expressions, self.nests, self.contraction, self.aliases = expressions, nests, contraction, aliases
        self.names, self.types, self.shapes = expressions.names, expressions.types, expressions.shapes
        self.exchanges = expressions.parts.exchanges
        self.mentions = Counter(each.value for each in nodes_of(self.names.method.function.body, cst.Name))
        #: arrays that were made before the last loop, for nothing
        self.unmade: set[str] = set()

    def interchanged(
        self, node: cst.For, header: cst.BaseExpression, before: Sequence[cst.CSTNode]
    ) -> list[cst.BaseStatement] | None:
        """The statements in place of a loop, which stands behind those `before` in its block; done if it has a turn."""
        updates = self._updates(node)
        if not updates or not self._repeats(node):
            return None
        inside = Counter(each.value for each in nodes_of(node, cst.Name))
        arrays = [name for name in inside if isinstance(self.types.names.get(name), ArrayType)]
        given = self.names.method.param_names
        outside = {name for name in arrays if inside[name] < self.mentions[name] or name in given}
        if not self._is_free(updates, arrays, outside, before):
            return None
        known = dict(self.shapes.equal)
        self.unmade.clear()
        found = self._nest(node, header, updates, arrays, outside, before)
        for name in arrays:
            self.expressions.parts.contracted.pop(name, None)
        self.shapes.equal = known
        return found

    # --- which loops -----------------------------------------------------------------------------------------------

    def _updates(self, node: cst.For) -> list[Update]:
        """The statements of a loop, if each of them gives a whole array new elements."""
        found: list[Update] = []
        for line in statements_of(node.body) if node.orelse is None else ():
            if not isinstance(line, cst.SimpleStatementLine):
                return []
            for each in line.body:
                if not isinstance(each, cst.Assign | cst.AugAssign) or not self._is_update(each):
                    return []
                found.append(each)
        return found if len(found) <= MOST else []

    def _is_update(self, node: Update) -> bool:
        target = node.target if isinstance(node, cst.AugAssign) else node.targets[0].target
        kind = self.types.names.get(target.value) if isinstance(target, cst.Name) else None
        if not isinstance(kind, ArrayType) or (isinstance(node, cst.Assign) and len(node.targets) > 1):
            return False
        if any(isinstance(each, cst.Subscript) or self._is_of_other_elements(each) for each in nodes_in(node)):
            return False
        found = self.types.nodes.get(node.value)
        ranks = {
            k.ndim for each in nodes_of(node, cst.Name) if isinstance(k := self.types.names.get(each.value), ArrayType)
        }
        if ranks != {kind.ndim}:
            return False
        if isinstance(node, cst.AugAssign):
            exact = kind.element.kind in "fc"
            whole = not isinstance(found, ArrayType) or found.ndim == kind.ndim
            fits = self.contraction.fits(node.value, kind)
            return whole and fits and isinstance(node.operator, FLOAT_UPDATES if exact else TOTAL_UPDATES)
        return found == kind and self.contraction.is_pure(node.value, not isinstance(node.value, cst.Name))

    def _is_of_other_elements(self, node: cst.CSTNode) -> bool:
        """Whether an expression has elements that are made of several, or of those in other places."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        return callee is not None and callee.kind in ("reduce", "array")

    def _repeats(self, node: cst.For) -> bool:
        """Whether a loop does the same in each turn, as often as numbers say that it does not change."""
        header = range_of(node)
        step = None if header is None else integer_constant(header.step, self.names.method)
        if header is None or step != 1 or not isinstance(node.target, cst.Name):
            return False
        plain = all(isinstance(limit, cst.Name | cst.Integer) for limit in header.limits)
        read = names_read(cst.Module([cst.SimpleStatementLine([cst.Expr(each)]) for each in header.limits]))
        return plain and self.mentions[node.target.value] == 1 and not read & assigned_names(node)

    def _is_free(
        self, updates: Sequence[Update], arrays: Sequence[str], outside: set[str], before: Sequence[cst.CSTNode]
    ) -> bool:
        """Whether nobody can tell where elements are while the loop runs."""
        method = self.names.method
        if self.aliases or self.nests.aliases or set(arrays) & (self.expressions.parts.names | method.shared):
            return False
        first: dict[str, str] = {}
        for each in updates:
            for name in names_read(each.value) | (assigned_names(each) if isinstance(each, cst.AugAssign) else set()):
                first.setdefault(name, "read")
            for name in assigned_names(each):
                first.setdefault(name, "bound")
        bound = {name for each in updates if isinstance(each, cst.Assign) for name in assigned_names(each)}
        written = {name for each in updates for name in assigned_names(each)}
        own = set(arrays) - outside
        if any(first.get(name) != "bound" for name in own):
            return False
        for name in written - own:
            others = self.exchanges.reaching.names(name) - own - {name}
            if others or (name in bound and not self._is_new(name, before)):
                return False
        return True

    def _is_alone(self, name: str) -> bool:
        """Whether an array that a name stands for is the method's own, and reached by no name of an array besides those
        of the loop."""
        return self.exchanges.reaching.names(name) <= self.exchanges.made - {*self.names.method.param_names}

    def _is_new(self, name: str, before: Sequence[cst.CSTNode]) -> bool:
        """Whether a name is bound to a new array of its own in the block of a loop, before it."""
        if name in self.names.method.param_names or name not in self.exchanges.made:
            return False
        return any(name in assigned_names(each) and isinstance(each, cst.SimpleStatementLine) for each in before)

    # --- the nest --------------------------------------------------------------------------------------------------

    def _nest(
        self,
        node: cst.For,
        header: cst.BaseExpression,
        updates: Sequence[Update],
        arrays: Sequence[str],
        outside: set[str],
        before: Sequence[cst.CSTNode],
    ) -> list[cst.BaseStatement] | None:
        parts = self.expressions.parts
        scalars = {name: self.names.new(f"{name}__element", name) for name in arrays}
        views = {}
        for name in arrays:
            if name in outside:
                kind = cast(ArrayType, self.types.names[name])
                views[name] = parts.contracted.get(name) or self.expressions.whole(self._name(name, node), kind)
        written = {name for each in updates for name in assigned_names(each)} & outside
        if not written or any(n.is_short for view in views.values() for n in view.shape):
            return None
        after = self.exchanges.live.after.get(node, frozenset(written))
        stored = {n for n in written if n in after or not self._is_alone(n)}
        begin = {name: self._first(name, view, before, written) for name, view in views.items()}
        others = {name for name in views if begin[name] is not views[name] and begin[name].shape}
        copies = {name for name in others - stored if self._is_for(name, node)}
        views |= {name: begin[name] for name in copies}
        shape = views[min(written, key=arrays.index)].shape
        index = [self.names.new(f"at__{axis}") for axis in range(len(shape))]
        at = tuple(Linear.of(each) for each in index)
        for name, view in views.items():
            parts.contracted[name] = self._scalar(scalars[name], view.shape, node)
        lines: list[cst.BaseStatement] = []
        tests: list[cst.BaseStatement] = []
        for each in updates:
            self.expressions.begin(each)
            try:
                made = self._line(each, scalars, at)
            except NotTaken:
                return None
            tests += self.expressions.before
            if made is None:
                return None
            lines.append(made)
        if not all(self._are_equal(parts.contracted[name].shape, shape) for name in arrays):
            return None
        loop = self.names.changed(node, iter=header, body=cst.IndentedBlock(lines))
        body = [
            *(self.names.line(f"{scalars[name]} = {code_of(begin[name].element(at))}", node) for name in views),
            cast(cst.BaseStatement, loop),
            *(self.names.line(f"{code_of(views[n].element(at))} = {scalars[n]}", node) for n in views if n in stored),
        ]
        loops = [(name, Linear(), length) for name, length in zip(index, shape, strict=True)]
        nest = self.nests.around(loops, body, node)
        limits = range_of(node)
        assert limits is not None
        guard = self.names.line(f"if {code_of(limits.stop)} > {code_of(limits.start)}:\n    pass", node)
        guarded = cst.ensure_type(guard, cst.If).with_changes(body=cst.IndentedBlock([*tests, nest]))
        self.names.place(guarded, node)
        self.unmade |= copies
        return [guarded]

    def _is_for(self, name: str, loop: cst.CSTNode) -> bool:
        """Whether nothing but the statement that binds a name mentions it outside of a loop."""
        return self.mentions[name] == sum(each.value == name for each in nodes_of(loop, cst.Name)) + 1

    def _first(self, name: str, view: Value, before: Sequence[cst.CSTNode], written: set[str]) -> Value:
        """What the elements of an array are where the loop begins: those of another one of which it is a copy, which
        the loop does not write, or zeros, if new arrays alone are made between; else its own."""
        lines = [line.body if isinstance(line, cst.SimpleStatementLine) else [line] for line in before]
        smalls = [each for line in lines for small in line for each in self.contraction.apart.get(small, [small])]
        for small in reversed(smalls):
            target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
            if not isinstance(small, cst.Assign) or not isinstance(target, cst.Name):
                break
            if target.value == name:
                return self._made(small.value, view, written)
            if name in names_read(small.value) or not self.exchanges.is_new(small.value):
                break
            written = written | {target.value}
        return view

    def _made(self, node: cst.BaseExpression, view: Value, written: set[str]) -> Value:
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        kind = self.types.nodes.get(node)
        if callee is None or not isinstance(node, cst.Call) or not isinstance(kind, ArrayType):
            return view
        if callee.kind in ("allocate", "like") and callee.name.startswith("zeros"):
            zero = f"{self.names.dtype(kind.dtype)}(0)"
            return Value((), lambda at: self.names.expression(zero, node))
        owner = node.func.value if isinstance(node.func, cst.Attribute) else None
        if (callee.kind, callee.name) != ("copy", "copy") or not isinstance(owner, cst.Name):
            return view
        source = self.types.names.get(owner.value)
        if source != kind or self.exchanges.reaching.names(owner.value) & written:
            return view
        return self.expressions.value(owner)

    def _line(self, small: Update, scalars: dict[str, str], at: Sequence[Linear]) -> cst.BaseStatement | None:
        """A statement about one element; its name is the value from here on. None where lengths are other ones."""
        parts = self.expressions.parts
        [name] = assigned_names(small)
        value = self.expressions.value(small.value)
        shape = value.shape
        if isinstance(small, cst.AugAssign):
            old = parts.contracted.get(name)
            if old is None:
                return None
            shape = old.shape
            self.shapes.into(OUTPUT, shape, value.shape, small)
        elif name in parts.contracted and not self._are_equal(parts.contracted[name].shape, shape):
            return None
        if any(n.is_short for n in shape):
            return None
        new = value.at(at, shape)
        if isinstance(small, cst.AugAssign):
            right = new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            left = self.names.expression(scalars[name], small)
            new = cst.BinaryOperation(left, AUGMENTED[type(small.operator)](), right)
        kind = cast(ArrayType, self.types.names[name])
        typed = cst.Call(cst.Name(self.names.dtype(kind.dtype)), [cst.Arg(new)])
        line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(scalars[name]))], typed)])
        self.names.place(line, small)
        parts.contracted[name] = self._scalar(scalars[name], shape, small)
        return line

    def _scalar(self, scalar: str, shape: tuple[Linear, ...], node: cst.CSTNode) -> Value:
        return Value(shape, lambda at: self.names.expression(scalar, node))

    def _name(self, name: str, at: cst.CSTNode) -> cst.Name:
        """The array of a name, as one of the loop's own mentions."""
        return next(each for each in nodes_of(at, cst.Name) if each.value == name)

    def _are_equal(self, one: Sequence[Linear], other: Sequence[Linear]) -> bool:
        return len(one) == len(other) and all(self.shapes.are_equal(a, b) for a, b in zip(one, other, strict=True))
