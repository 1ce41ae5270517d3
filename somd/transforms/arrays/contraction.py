"""Which arrays need not be made: each element of theirs is computed in the loops that read it (*array contraction*).

    t = a[1:] - a[:-1]
    t[t > 0.0] = 0.0                        ->   for at in ...: t_ = a[at + 1] - a[at]; t_ = 0.0 if t_ > 0.0 else t_
    out[:] = t * b                                              out[at] = t_ * b[at]

An array is not made where all statements that mention its name stand behind the one that binds it, in one block; each
reads it element by element, into an array of as many axes, or changes it whole, or under a mask; and nothing in between
binds or writes what the elements are made of. What they are made of cannot fail. An element that is read at several
places is computed as often: as long as that costs less than memory would.

In: a `Method` and its types. Out: the statements that make no array; what they mean is the matter of `assignments`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TypeGuard

import libcst as cst

from somd.transforms.analysis.parts import ELLIPSIS, items_of
from somd.transforms.arrays.exchanges import Exchanges
from somd.transforms.arrays.integers import code
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, integer_constant, statements_of
from somd.transforms.tree.names import names_read, target_parts
from somd.transforms.tree.walking import children_of, nodes_in, nodes_of
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

#: operations and loads that may be done once more for each element, in place of memory that is written and read
RECOMPUTED = 48
#: what reading an array from memory once more costs
STREAM = 16
#: what operations and functions cost that are not as quick as a multiplication
SLOW = {"Divide": 4, "sqrt": 4, "Power": 16}
FUNCTION = 64
QUICK = frozenset(("where", "abs", "absolute", "fabs", "negative", "positive", "maximum", "minimum", "fmax", "fmin"))
QUICK |= {"square", "sign", "add", "subtract", "multiply", "isnan", "isinf", "isfinite"}
QUICK |= {"logical_and", "logical_or", "logical_not", "logical_xor"}
#: operators of integers that have a value for all operands
TOTAL = (cst.Add, cst.Subtract, cst.Multiply, cst.BitAnd, cst.BitOr, cst.BitXor)
TOTAL_UPDATES = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)
FLOAT_UPDATES = (*TOTAL_UPDATES, cst.DivideAssign)
KINDS = "biufc"


@dataclass(frozen=True)
class _Place:
    """The loops of a statement, and by how much an element is moved in them."""

    statement: int
    shift: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()

    def moved(self, part: tuple[int, ...] | str) -> _Place:
        if isinstance(part, str):
            return replace(self, parts=(*self.parts, part))
        return replace(self, shift=_sum(self.shift, part))


@dataclass
class _Life:
    """An array from where it is bound to where it is read last, by numbers of statements in a block."""

    name: str
    bound: int
    mentions: list[int] = field(default_factory=list)
    updates: list[int] = field(default_factory=list)
    inputs: set[str] = field(default_factory=set)
    #: what an element costs, the arrays that it is made of, and the places where it is computed
    cost: int = 0
    streams: int = 0
    places: set[_Place] = field(default_factory=set)

    @property
    def recomputed(self) -> int:
        """What computing elements costs beyond computing each once; other loops read again what they are made of."""
        loops = len({place.statement for place in self.places})
        return self.cost * (len(self.places) - 1) + STREAM * self.streams * (loops - 1)


class Contraction:
    """`bound` has the assignments that make no array, with what it would be made of in `inputs`; `updates` the
    statements that change such. `apart` has assignments of several new arrays, each as one for every array."""

    def __init__(self, method: Method, types: Types, exchanges: Exchanges, aliases: Mapping[str, str]) -> None:
        self.method, self.types, self.exchanges = method, types, exchanges
        self.bound: set[cst.CSTNode] = set()
        self.updates: set[cst.CSTNode] = set()
        self.inputs: dict[cst.CSTNode, set[str]] = {}
        self.apart: dict[cst.CSTNode, list[cst.BaseSmallStatement]] = {}
        handed = {name for names, _ in exchanges.handed.values() for name in names}
        own = {name for name, kind in types.names.items() if isinstance(kind, ArrayType)}
        marked = {each.name for each in method.marked}
        #: the names of arrays of the method's own, and those that go over to no other array
        self.arrays = own - marked - exchanges.parts - method.shared
        self.own = self.arrays - handed
        self.mentions = _counts(method.function.body)
        for block in _blocks(method.function.body):
            self.apart |= {node: each for node in block if (each := self._one_by_one(node))}
            if not aliases:
                self._block([each for node in block for each in self.apart.get(node, (node,))])

    def _one_by_one(self, node: cst.CSTNode) -> list[cst.BaseSmallStatement]:
        """`t, u = e, f`, of new arrays that are not made of each other, as `t = e` and `u = f`."""
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        value = node.value if isinstance(node, cst.Assign) else None
        if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
            return []
        names = [each.value for each in target.elements if isinstance(each.value, cst.Name)]
        own = {each.value for each in names} & self.arrays - names_read(value)
        if len(own) < len(target.elements) or len(own) < len(value.elements):
            return []
        values = [each.value for each in value.elements]
        if not all(self.is_pure(each, True) or self.exchanges.is_new(each) for each in values):
            return []
        if any(map(self.exchanges.may_share, values)):
            return []
        return [cst.Assign([cst.AssignTarget(t)], v) for t, v in zip(names, values, strict=True)]

    # --- a block ---------------------------------------------------------------------------------------------------

    def _block(self, statements: Sequence[cst.CSTNode]) -> None:
        lives: list[_Life] = []
        for life in self._lives(statements):
            if self._holds(life, statements, lives):
                lives.append(life)
        within: dict[int, list[_Life]] = {}
        for life in sorted(lives, key=lambda each: -each.bound):
            for number in life.mentions:
                if number not in life.updates:
                    life.places |= self._places(statements[number], number, life, within)
            if life.recomputed <= RECOMPUTED:
                for number in (life.bound, *life.updates):
                    within.setdefault(number, []).append(life)
                self.bound.add(statements[life.bound])
                self.inputs[statements[life.bound]] = life.inputs
                self.updates |= {statements[number] for number in life.updates}

    def _places(
        self, node: cst.CSTNode, number: int, life: _Life, within: Mapping[int, Sequence[_Life]]
    ) -> set[_Place]:
        """Where elements of an array are computed for a statement: in the loops that it makes, or in those for which
        elements of what it binds or changes are computed."""
        made = [other.places for other in within.get(number, ()) if other.name != life.name or number == other.bound]
        places = set[_Place]().union(*made) if made else {_Place(number)}
        parts = [self._shift(each) for each in _parts_of(node, life.name)]
        return {place.moved(part) for place in places for part in parts}

    def _shift(self, node: cst.CSTNode) -> tuple[int, ...] | str:
        """By how much a part of an array is moved along its axes; the text of the part where that is not known."""
        shift: tuple[int, ...] = ()
        part = node
        while isinstance(part, cst.Subscript):
            lower: list[int] = []
            for each in items_of(part, self.method):
                if not isinstance(each, cst.Slice) or each.step is not None:
                    return code(node)
                start = 0 if each.lower is None else integer_constant(each.lower, self.method)
                if start is None or start < 0:
                    return code(node)
                lower.append(start)
            shift = _sum(shift, tuple(lower))
            part = part.value
        return shift

    def _lives(self, statements: Sequence[cst.CSTNode]) -> list[_Life]:
        """The arrays that are bound and mentioned in this block alone, by whole statements."""
        found: dict[str, list[_Life]] = {}
        behind: Counter[str] = Counter()  # mentions behind the first binding, which counts as well
        for number, node in enumerate(statements):
            name, counts = _bound_name(node), _counts(node)
            for each in counts.keys() & found.keys():
                if each != name or counts[each] > 1:
                    found[each][-1].mentions.append(number)
            if name in self.own:
                found.setdefault(name, []).append(_Life(name, number))
            behind.update({each: count for each, count in counts.items() if each in found})
        alone = [name for name in found if behind[name] == self.mentions[name]]
        return sorted((life for name in alone for life in found[name]), key=lambda each: each.bound)

    def _holds(self, life: _Life, statements: Sequence[cst.CSTNode], before: Sequence[_Life]) -> bool:
        """Whether the array of a life need not be made, where those `before` it need not, either."""
        node = statements[life.bound]
        assert isinstance(node, cst.Assign)
        new = not self.exchanges.may_share(node.value) and self.is_pure(node.value, True)
        if not life.mentions or life.name in names_read(node.value) or not new:
            return False
        life.inputs, life.cost = names_read(node.value), self._cost(node.value)
        for number in life.mentions:
            each = statements[number]
            update = self._update_of(each, life.name)
            if update is not None:
                life.updates.append(number)
                life.inputs |= {name for part in update for name in names_read(part)} - {life.name}
                life.cost += sum(map(self._cost, update)) + 1
            elif not self._reads(each, life.name):
                return False
        made_of = {name for name in life.inputs if isinstance(self.types.names.get(name), ArrayType)}
        life.streams = len(made_of - {other.name for other in before})
        for other in before:
            if other.name in life.inputs:
                life.inputs |= other.inputs  # which are read where elements of this one are computed
        return life.mentions[-1] not in life.updates and self._stays(life, statements)

    def _stays(self, life: _Life, statements: Sequence[cst.CSTNode]) -> bool:
        """Whether nothing that elements are made of is bound or written before they are read last."""
        inputs = self._reached(life.inputs)
        for number in range(life.bound + 1, life.mentions[-1]):
            if number in life.updates:
                continue
            written = self._written(statements[number])
            if self.exchanges.names(statements[number]) & life.inputs or self._reached(written) & inputs:
                return False
        return True

    def _reached(self, names: Collection[str]) -> set[str]:
        """All names of what may be one array with one of these."""
        return set[str]().union(*(self.exchanges.reaching.names(name) for name in names))

    def _written(self, statement: cst.CSTNode) -> set[str]:
        """The names through which a statement writes."""
        found: set[str] = set()
        for node in nodes_in(statement):
            targets: list[cst.CSTNode] = []
            if isinstance(node, cst.Assign | cst.AnnAssign | cst.For):
                given = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
                parts = [part for each in given for part in target_parts(each)]
                targets = [part for part in parts if not isinstance(part, cst.Name)]
            elif isinstance(node, cst.AugAssign | cst.Expr | cst.Del):
                targets = [node.target if isinstance(node, cst.AugAssign) else node]
            elif isinstance(node, cst.Call) and any(each.keyword is not None for each in node.args):
                targets = [node]  # `out=`
            for each in targets:
                found |= names_read(each.value if isinstance(each, cst.Subscript) else each)
        return found

    # --- statements ------------------------------------------------------------------------------------------------

    def _reads(self, node: cst.CSTNode, name: str) -> bool:
        """Whether a statement reads an array element by element, into one of as many axes."""
        value = getattr(node, "value", None)
        if isinstance(node, cst.Return) and isinstance(value, cst.BaseExpression):
            given = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
            return all(name not in names_read(e) or self._is_read_by(e, name, True) for e in given)
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        target = node.target if isinstance(node, cst.AugAssign) else target
        if target is None or not isinstance(value, cst.BaseExpression):
            return False
        if isinstance(target, cst.Tuple):
            if not isinstance(value, cst.Tuple) or len(target.elements) != len(value.elements):
                return False
            pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True)]
            return all(self._reads_into(t, v, name, False) for t, v in pairs)
        return self._reads_into(target, value, name, isinstance(node, cst.AugAssign))

    def _is_read_by(self, value: cst.BaseExpression, name: str, new: bool) -> bool:
        """Whether a value of as many axes is made of elements of an array; a `new` one is no part of it."""
        kind = self.types.names[name]
        assert isinstance(kind, ArrayType)
        fits = self._rank(value) == kind.ndim and (not new or self._makes_array(value))
        return fits and self._element_by_element(value, name)

    def _reads_into(self, target: cst.BaseExpression, value: cst.BaseExpression, name: str, update: bool) -> bool:
        if isinstance(target, cst.Name):
            own, read = self.types.names.get(target.value), name in names_read(value)
            kind = self.types.names[name]
            alike = isinstance(own, ArrayType) and isinstance(kind, ArrayType) and own.ndim == kind.ndim
            return target.value != name and (not read or (alike and self._is_read_by(value, name, not update)))
        if not isinstance(target, cst.Subscript) or name in names_read(target.value):
            return False
        mask = self._mask(target)
        whole = target if mask is None else target.value
        if mask is not None and name in names_read(mask) and not self._is_read_by(mask, name, False):
            return False
        if mask is None and name in names_read(target):
            return False
        if name not in names_read(value):
            return True
        kind = self.types.names[name]
        return isinstance(kind, ArrayType) and self._rank(whole) == kind.ndim and self._is_read_by(value, name, False)

    def _update_of(self, node: cst.CSTNode, name: str) -> list[cst.BaseExpression] | None:
        """What a statement that changes an array whole, or under a mask, is made of."""
        kind = self.types.names[name]
        assert isinstance(kind, ArrayType)
        target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
        target = node.target if isinstance(node, cst.AugAssign) else target
        value = getattr(node, "value", None)
        if target is None or not isinstance(value, cst.BaseExpression) or not self.fits(value, kind):
            return None
        if isinstance(node, cst.AugAssign):
            allowed = FLOAT_UPDATES if kind.element.kind in "fc" else TOTAL_UPDATES
            if kind.element.kind == "b" or not isinstance(node.operator, allowed):
                return None
        elif not isinstance(target, cst.Subscript):
            return None
        if isinstance(target, cst.Name):
            return [value] if target.value == name else None
        if (
            not isinstance(target, cst.Subscript)
            or not isinstance(target.value, cst.Name)
            or target.value.value != name
        ):
            return None
        mask = self._mask(target)
        if mask is None:
            whole = all(each is ELLIPSIS or _is_whole(each) for each in items_of(target, self.method))
            return [value] if whole else None
        alone = self._rank(value) == 0 and self._rank(mask) == kind.ndim
        return [mask, value] if alone and self.is_pure(mask, False) and self._element_by_element(mask, name) else None

    def fits(self, value: cst.BaseExpression, kind: ArrayType) -> bool:
        """Whether a value goes into elements of a type as it does in an operation, and cannot fail."""
        found = self.types.nodes.get(value)
        own = kind.element.kind
        if isinstance(found, ScalarType):
            exact = own in "fc" or own == found.kind == "b"
            return exact and KINDS.index(found.kind) <= KINDS.index(own)
        if not isinstance(found, ArrayType) or found.ndim != kind.ndim or not self.is_pure(value, False):
            return False
        return own in "fc" and KINDS.index(found.element.kind) <= KINDS.index(own)

    def _mask(self, node: cst.Subscript) -> cst.BaseExpression | None:
        items = items_of(node, self.method)
        only = items[0] if len(items) == 1 else None
        kind = self.types.nodes.get(only) if isinstance(only, cst.BaseExpression) else None
        name = node.value.value if isinstance(node.value, cst.Name) else ""
        base = self.types.names.get(name, self.types.nodes.get(node.value))
        whole = isinstance(kind, ArrayType) and isinstance(base, ArrayType) and kind.ndim == base.ndim
        masks = whole and isinstance(kind, ArrayType) and kind.dtype == "bool"
        return only if masks and isinstance(only, cst.BaseExpression) else None

    # --- expressions -----------------------------------------------------------------------------------------------

    def _rank(self, node: cst.BaseExpression) -> int:
        kind = self.types.nodes.get(node)
        return kind.ndim if isinstance(kind, ArrayType) else 0

    def _makes_array(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison | cst.Call)

    def _operands(self, node: cst.BaseExpression) -> list[cst.BaseExpression] | None:
        """What an operation is made of whose elements are made of elements; None where it is none."""
        if isinstance(node, cst.BinaryOperation):
            return None if isinstance(node.operator, cst.MatrixMultiply) else [node.left, node.right]
        if isinstance(node, cst.UnaryOperation):
            return [node.expression]
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            return [node.left, node.comparisons[0].comparator]
        if isinstance(node, cst.Call):
            callee = self.types.calls.get(node)
            if callee is None or any(each.keyword is not None or each.star for each in node.args):
                return None
            if callee.kind in ("numpy", "cast") or (callee.kind == "builtin" and callee.name == "abs"):
                return [each.value for each in node.args]
            if callee.kind == "astype" and isinstance(node.func, cst.Attribute):
                return [node.func.value]
        return None

    def cannot_fail(self, node: cst.CSTNode) -> bool:
        """Whether the loops of a statement, or of a value, raise nothing once lengths are tested."""
        if isinstance(node, cst.BaseExpression):
            return self.is_pure(node, False)
        value = getattr(node, "value", None)
        if not isinstance(value, cst.BaseExpression):
            return False
        values = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else []
        if isinstance(node, cst.AugAssign):
            kind = self.types.nodes.get(node.target)
            exact = isinstance(kind, ArrayType) and kind.element.kind in "fc"
            if not isinstance(node.operator, FLOAT_UPDATES if exact else TOTAL_UPDATES):
                return False
            targets = [node.target]
        parts = [part for each in targets for part in target_parts(each) if not isinstance(part, cst.Name)]
        return all(self.is_pure(each, False) for each in (*values, *(p for p in parts if _is_expression(p))))

    def _element_by_element(self, node: cst.BaseExpression, name: str) -> bool:
        """Whether an expression reads each element of an array for an element of its own, at most moved along axes."""
        if name not in names_read(node):
            return True
        if isinstance(node, cst.Name):
            return True
        if isinstance(node, cst.Subscript):
            items = items_of(node, self.method)
            slices = all(isinstance(each, cst.Slice) or each is ELLIPSIS for each in items)
            inside = not any(isinstance(each, cst.CSTNode) and name in names_read(each) for each in items)
            return slices and inside and self._element_by_element(node.value, name)
        operands = self._operands(node)
        if operands is None or not isinstance(self.types.nodes.get(node), ArrayType):
            return False
        ranks = {self._rank(each) for each in operands if name in names_read(each)}
        return ranks == {self._rank(node)} and all(self._element_by_element(each, name) for each in operands)

    def is_pure(self, node: cst.BaseExpression, outermost: bool) -> bool:
        """Whether an expression has elements that are computed from elements, and none can fail."""
        kind = self.types.nodes.get(node)
        if not isinstance(kind, ArrayType):
            return isinstance(kind, ScalarType) and not outermost
        if isinstance(node, cst.Name):
            return not outermost
        if isinstance(node, cst.Subscript):
            items = items_of(node, self.method)
            basic = all(not isinstance(each, cst.BaseExpression) for each in items)
            return not outermost and basic and self.is_pure(node.value, False)
        operands = self._operands(node)
        if operands is None or not all(self.is_pure(each, False) for each in operands):
            return False
        if isinstance(node, cst.BinaryOperation):
            return kind.element.kind in "fc" or isinstance(node.operator, TOTAL)
        if isinstance(node, cst.Call) and kind.element.kind in "iu":
            callee = self.types.calls[node]
            return callee.kind in ("cast", "astype", "builtin") or callee.name in QUICK
        return True

    def _cost(self, node: cst.BaseExpression) -> int:
        """What an element costs: loads and operations count as one."""
        if not isinstance(self.types.nodes.get(node), ArrayType):
            return 0
        operands = self._operands(node)
        if operands is None:
            return 1
        own = 1
        if isinstance(node, cst.BinaryOperation):
            own = SLOW.get(type(node.operator).__name__, 1)
        elif isinstance(node, cst.Call):
            callee = self.types.calls[node]
            own = SLOW.get(callee.name, 1 if callee.name in QUICK or callee.kind != "numpy" else FUNCTION)
        return own + sum(map(self._cost, operands))


def _is_expression(node: cst.CSTNode) -> TypeGuard[cst.BaseExpression]:
    return isinstance(node, cst.BaseExpression)


def _bound_name(node: cst.CSTNode) -> str | None:
    """The name that a statement binds, and nothing else."""
    target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
    return target.value if isinstance(target, cst.Name) else None


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The sum of two shifts, without zeros at its end."""
    made = [a + b for a, b in zip_longest(first, second, fillvalue=0)]
    while made and made[-1] == 0:
        made.pop()
    return tuple(made)


def _is_whole(item: object) -> bool:
    return isinstance(item, cst.Slice) and item.lower is item.upper is item.step is None


def _counts(node: cst.CSTNode) -> Counter[str]:
    """How often each name is mentioned in any way."""
    return Counter(each.value for each in nodes_of(node, cst.Name))


def _blocks(body: cst.BaseSuite) -> Iterator[list[cst.CSTNode]]:
    """The blocks of a method, each as its small statements, and compound ones."""
    waiting: list[list[cst.CSTNode]] = [list(statements_of(body))]
    while waiting:
        statements = waiting.pop()
        flat: list[cst.CSTNode] = []
        for node in statements:
            flat += node.body if isinstance(node, cst.SimpleStatementLine) else [node]
            if isinstance(node, cst.For | cst.While | cst.With | cst.If):
                waiting.append(list(statements_of(node.body)))
            if isinstance(node, cst.If):
                waiting.append(list(else_statements(node)))
        yield flat


def _parts_of(node: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """The expressions that read an array: its name, with all subscripts behind it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        base = each
        while isinstance(base, cst.Subscript):
            base = base.value
        if isinstance(base, cst.Name) and base.value == name:
            yield each
        else:
            waiting += children_of(each)
