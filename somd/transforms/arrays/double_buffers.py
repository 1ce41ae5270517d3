"""Arrays that each turn of a loop makes anew out of themselves have two buffers (*double buffering*).

    for t in range(n):                          a_next = np.empty(a.shape[0])
        t = np.empty(a.shape[0])                for t in range(n):
        for at in ...: t[at] = f(a)         ->      for at in ...: a_next[at] = a[at] + f(a)
        for at in ...: a[at] += t[at]               a, a_next = a_next, a
                                                if n % 2 == 1:
                                                    for at in ...: a_next[at] = a[at]
                                                    a, a_next = a_next, a

The first nest of a turn reads `a` elsewhere, so it may not write it; the second one only puts in place, element by
element, what the first has made. Both become one, which writes the other buffer, and what was made is a scalar. Behind
the loop the caller's array has its elements again. Nothing in such a loop can fail: no exception may leave it while the
buffers are exchanged. Arrays that are indexed by the loop's variable are asked before whether they are long enough; if
not, the loop stays as it was.

In: a `for` whose array statements are loops. Out: the statements in its place, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.transforms.arrays.early_tests import is_number
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.joining import Joining
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.nests import Nest, Nests
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.renaming import Replaced
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types.scalars import AUGMENTED, ArrayType

#: the most statements in the loops of a turn: more would need more registers than there are
MOST = 12


@dataclass
class _Turn:
    """What a turn does: arrays that it makes for itself, with their dtypes as text, those that it makes anew, and the
    scalars that elements of both are."""

    lines: list[cst.BaseStatement]
    first: Nest
    second: Nest
    own: dict[str, str]
    arrays: list[str] = field(default_factory=list)
    scalars: dict[str, str] = field(default_factory=dict)


class DoubleBuffers:
    """Gives buffers to arrays of a method."""

    def __init__(self, expressions: Expressions, nests: Nests, joining: Joining) -> None:
        self.expressions, self.nests, self.joining = expressions, nests, joining
        self.names, self.types = expressions.names, expressions.types
        self.exchanges = expressions.parts.exchanges

    def exchanged(self, node: cst.For, made: cst.For) -> list[cst.BaseStatement] | None:
        """The statements in place of the loop `made`, which `node` has become."""
        header = range_of(made)
        if header is None or node.orelse is not None or integer_constant(header.step, self.names.method) != 1:
            return None
        changed = self.exchanges.names(node)
        if any(not is_number(limit) or names_read(limit) & changed for limit in header.limits):
            return None
        contraction = self.joining.contraction
        start = integer_constant(header.start, self.names.method)
        contraction.indexed.clear()
        contraction.index = header.variable if start is not None and start >= 0 else None
        turn = self._turn(node, made)
        contraction.index, indexed = None, sorted(contraction.indexed)
        if turn is None or not self._is_whole(turn, node) or (indexed and turn.lines):
            return None
        body = self._body(turn)
        if body is None:
            return None
        turns = self.names.new("value__once", code_of(header.stop))
        nest = self.nests.around(turn.first.loops, body, turn.second.statement)
        buffers = {name: self.names.new(f"{name}__next", name) for name in turn.arrays}
        swaps = [self.names.line(f"{a}, {b} = {b}, {a}", node) for a, b in buffers.items()]
        nest = self._renamed_targets(nest, buffers)
        call = cst.ensure_type(made.iter, cst.Call)
        limits = [cst.Arg(self.names.expression(text, made.iter)) for text in (code_of(header.start), turns)]
        loop = made.with_changes(
            target=self.names.copy(cst.ensure_type(made.target, cst.Name)),
            iter=cst.Call(cst.Name(cst.ensure_type(call.func, cst.Name).value), limits),
            body=cst.IndentedBlock([*turn.lines, nest, *swaps]),
        )
        self.names.place(loop, node)
        before = [self._allocation(name, other, node) for name, other in buffers.items()]
        odd = f"{self.names.function('max')}({turns} - {code_of(header.start)}, 0) % 2 == 1"
        copies = [self._copy(turn, name, other) for name, other in buffers.items()]
        behind = [self.names.line(f"{a}, {b} = {b}, {a}", node) for a, b in buffers.items()]
        found = [*before, loop, self._if(odd, [*copies, *behind], node)]
        number = self.names.line(f"{turns} = {code_of(header.stop)}", node)
        if not indexed:
            return [number, *found]
        fits = self._if(" and ".join(f"{turns} <= {name}.shape[{axis}]" for name, axis in indexed), found, node)
        return [number, fits.with_changes(orelse=cst.Else(cst.IndentedBlock([made])))]

    def _if(self, test: str, body: Sequence[cst.BaseStatement], node: cst.CSTNode) -> cst.If:
        made = cst.ensure_type(self.names.line(f"if {test}:\n    pass", node), cst.If)
        made = made.with_changes(body=cst.IndentedBlock(body))
        self.names.place(made, node)
        return made

    # --- which loops -----------------------------------------------------------------------------------------------

    def _turn(self, node: cst.For, made: cst.For) -> _Turn | None:
        """The parts of a loop's body: numbers, new arrays, and two nests over the same indexes behind each other."""
        body = list(statements_of(made.body))
        nests = [each for each in body if each in self.nests.made]
        if len(nests) != 2 or body[-1] is not nests[1] or self.nests.aliases:
            return None
        first, second = (self.nests.made[each] for each in nests)
        if not self.joining.are_alike(first, second) or len(first.body) + len(second.body) > MOST:
            return None
        lines: list[cst.BaseStatement] = []
        own: dict[str, str] = {}
        for each in body:
            if each in self.nests.made:
                continue
            if not isinstance(each, cst.SimpleStatementLine) or not self.joining.may_come_before(each):
                return None
            dtype = self._allocated(each)
            if dtype is None:
                lines.append(each)
            else:
                own[next(iter(assigned_names(each)))] = dtype
        turn = _Turn(lines, first, self._with_names_of(second, first), own)
        return turn if all(map(self._cannot_fail, (first, second))) else None

    def _cannot_fail(self, nest: Nest) -> bool:
        return self.joining.contraction.cannot_fail(nest.statement)

    def _allocated(self, line: cst.SimpleStatementLine) -> str | None:
        """The dtype of the array that a line makes; None for other lines."""
        value = line.body[0].value if len(line.body) == 1 and isinstance(line.body[0], cst.Assign) else None
        if not isinstance(value, cst.Call) or value.args[-1].keyword is None:
            return None
        return code_of(value.args[-1].value) if value.args[-1].keyword.value == "dtype" else None

    def _with_names_of(self, second: Nest, first: Nest) -> Nest:
        """A nest with the variables of another one."""
        renamed = {b: a for (a, _, _), (b, _, _) in zip(first.loops, second.loops, strict=True)}
        body: list[cst.BaseStatement] = []
        for each in second.body:
            found = [n for n in nodes_of(each, cst.Name) if n.value in renamed]
            moved = each.visit(
                Replaced({n: self.names.expression(renamed[n.value], n) for n in found}, self.names.positions)
            )
            assert isinstance(moved, cst.BaseStatement)
            body.append(moved)
        return Nest(second.statement, first.loops, body)

    def _is_whole(self, turn: _Turn, node: cst.For) -> bool:
        """Whether the second nest does nothing but to give whole arrays new elements, each at its own place, and nobody
        but the two nests has to do with what the first one makes."""
        place = ", ".join(name for name, _, _ in turn.first.loops)
        for each in turn.second.body:
            target = _target(each)
            name = target.value.value if target is not None and isinstance(target.value, cst.Name) else ""
            if name in turn.own or not self._is_array(name, turn.first.loops):
                return False
            turn.arrays += [] if name in turn.arrays else [name]
        parts = [part for each in turn.second.body for part in nodes_of(each, cst.Subscript)]
        parts += [part for each in turn.first.body for part in nodes_of(each, cst.Subscript) if _base(part) in turn.own]
        if not all(_index(part) == place for part in parts if not isinstance(part.value, cst.Attribute)):
            return False
        inside = Counter(each.value for each in nodes_of(node, cst.Name))
        whole = Counter(each.value for each in nodes_of(self.names.method.function.body, cst.Name))
        if any(inside[name] != whole[name] for name in turn.own):
            return False
        lines = (*turn.first.body, *turn.second.body)
        mentioned = Counter(each.value for line in lines for each in nodes_of(line, cst.Name))
        read = Counter(_base(part) for line in lines for part in nodes_of(line, cst.Subscript))
        read += Counter(code_of(each.value) for line in lines for each in nodes_of(line, cst.Attribute))  # lengths
        alone = all(mentioned[name] == read[name] for name in (*turn.own, *turn.arrays))
        others = {name for line in turn.lines for name in names_read(line)} & turn.own.keys()
        return alone and not others and bool(turn.arrays)

    def _is_array(self, name: str, loops: Sequence[tuple[str, Linear, Linear]]) -> bool:
        """Whether loops go over all elements of an array of floats that the user has named."""
        kind = self.types.names.get(name)
        if not isinstance(kind, ArrayType) or kind.element.kind not in "fc" or kind.ndim != len(loops):
            return False
        for axis, (_, start, stop) in enumerate(loops):
            length = self.expressions.length(name, axis)
            if start != Linear() or not self.expressions.shapes.are_equal(stop, length):
                return False
        return self.exchanges.reaching.names(name) == {name} and self.expressions.parts.part(name) is None

    # --- what becomes of them --------------------------------------------------------------------------------------

    def _body(self, turn: _Turn) -> list[cst.BaseStatement] | None:
        """What an iteration of both nests does: elements are scalars, which are stored at the end."""
        made: list[cst.BaseStatement] = []
        for each in (*turn.first.body, *turn.second.body):
            target, small = _target(each), each.body[0] if isinstance(each, cst.SimpleStatementLine) else None
            if not isinstance(small, cst.Assign | cst.AugAssign):
                return None
            value = self._with_scalars(small.value, turn, each in turn.second.body)
            if target is None:
                if not isinstance(small, cst.Assign):
                    return None
                made.append(self._line(code_of(small.targets[0].target), code_of(value), small))
                continue
            name = _base(target)
            if isinstance(small, cst.AugAssign):
                if each not in turn.second.body:
                    return None
                old = turn.scalars.get(name, code_of(target))
                value = cst.BinaryOperation(
                    self.names.expression(old, small), AUGMENTED[type(small.operator)](), _bracketed(value)
                )
            kind = self.types.names.get(name)
            dtype = turn.own.get(name) or self.names.dtype(kind.dtype if isinstance(kind, ArrayType) else "float64")
            turn.scalars[name] = self.names.new(f"{name}__element", name)
            made.append(self._line(turn.scalars[name], f"{dtype}({code_of(value)})", small))
        place = ", ".join(name for name, _, _ in turn.first.loops)
        stores = [self._line(f"{name}[{place}]", turn.scalars[name], turn.second.statement) for name in turn.arrays]
        return [*made, *stores]

    def _with_scalars(self, value: cst.BaseExpression, turn: _Turn, second: bool) -> cst.BaseExpression:
        """An expression with scalars for elements that have been computed in this iteration."""
        known = {name: scalar for name, scalar in turn.scalars.items() if second or name in turn.own}
        found = [part for part in nodes_of(value, cst.Subscript) if _base(part) in known]
        replaced: Mapping[cst.CSTNode, cst.BaseExpression] = {
            part: self.names.expression(known[_base(part)], part) for part in found
        }
        moved = replaced.get(value) or value.visit(Replaced(replaced, self.names.positions))
        assert isinstance(moved, cst.BaseExpression)
        return moved

    def _renamed_targets(self, nest: cst.BaseStatement, buffers: Mapping[str, str]) -> cst.BaseStatement:
        """A nest whose stores go to the other buffers."""
        targets = [_target(each) for each in nodes_of(nest, cst.SimpleStatementLine)]
        names = [each.value for each in targets if each is not None and _base(each) in buffers]
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {
            name: self.names.expression(buffers[cst.ensure_type(name, cst.Name).value], name) for name in names
        }
        made = nest.visit(Replaced(replaced, self.names.positions))
        assert isinstance(made, cst.BaseStatement)
        return made

    def _allocation(self, name: str, other: str, node: cst.CSTNode) -> cst.BaseStatement:
        kind = self.types.names[name]
        assert isinstance(kind, ArrayType)
        shape = tuple(self.expressions.length(name, axis) for axis in range(kind.ndim))
        return self.names.line(f"{other} = {self.nests.allocation(shape, kind)}", node)

    def _copy(self, turn: _Turn, name: str, other: str) -> cst.BaseStatement:
        """The elements of one buffer, put into the other one."""
        index = [self.names.new(f"at__{axis}") for axis in range(len(turn.first.loops))]
        place = ", ".join(index)
        loops = [(own, start, stop) for own, (_, start, stop) in zip(index, turn.first.loops, strict=True)]
        line = self._line(f"{other}[{place}]", f"{name}[{place}]", turn.second.statement)
        return self.nests.around(loops, [line], turn.second.statement)

    def _line(self, target: str, value: str, at: cst.CSTNode) -> cst.BaseStatement:
        return self.names.line(f"{target} = {value}", at)


def _target(line: cst.CSTNode) -> cst.Subscript | None:
    """The element that a line stores to."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    target = small.targets[0].target if isinstance(small, cst.Assign) else getattr(small, "target", None)
    return target if isinstance(target, cst.Subscript) else None


def _base(part: cst.Subscript) -> str:
    return part.value.value if isinstance(part.value, cst.Name) else ""


def _index(part: cst.Subscript) -> str:
    return ", ".join(code_of(each.slice.value) if isinstance(each.slice, cst.Index) else ":" for each in part.slice)


def _bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
