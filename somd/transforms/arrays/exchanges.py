"""Which assignments hand arrays from name to name: `u = un` where `un` is not read behind it exchanges the two.

    u_old, u = u, u_new   ->   u_old, u, u_new = u, u_new, u_old

In: a `Method` and its types. Out: for each such assignment the names that are bound, and those whose arrays they get;
and which names stand for parts of arrays somewhere. Where both names go on, the second one is a part: the whole array.
A name that is bound several times takes a copy instead, where nobody could tell: the array is not reached any more, or
written under none of its names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import libcst as cst

from somd.language.array_functions import OUT
from somd.transforms.analysis.liveness import Liveness
from somd.transforms.arrays.distinct import distinct_names, is_distinct
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read, target_parts, values_read
from somd.transforms.tree.walking import nodes_in, nodes_of
from somd.transforms.types.functions import METHODS, PARTS
from somd.transforms.types.scalars import ArrayType, TupleType
from somd.transforms.types.typing_table import Given, Types

Pair = tuple[str, cst.BaseExpression]


class Exchanges:
    """What was found: `handed` has the exchanges, `parts` the names that stand for parts of arrays somewhere."""

    def __init__(self, method: Method, types: Types) -> None:
        self.types = types
        self.handed: dict[cst.CSTNode, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        #: assignments of arrays, or parts, that copy them
        self.copied: set[cst.CSTNode] = set()
        self.parts: set[str] = set()
        self.live = Liveness()
        body = statements_of(method.function.body)
        self.params = set(method.param_names)
        nodes = list(nodes_in(method.function.body))
        self.counts = Counter([*self.params, *(name for node in nodes for name in _bound(node))])
        self.bindings = [node for node in nodes if isinstance(node, cst.Assign | cst.AnnAssign)]
        self.reaching = _Reaching(nodes, self._is_array, self.may_share, self.gathers)
        #: names that stand for nothing but what the method makes
        self.made = self._made(nodes)
        #: assignments of new arrays where NumPy's may be other ones, as could be told
        self.shared: set[cst.CSTNode] = set()
        pairs = [pair for node in self.bindings for pair in pairs_of(node)]
        told = Counter(name for name, _ in pairs)
        others = {name for name, count in self.counts.items() if told[name] < count} | self.reaching.written
        others = {each for name in others for each in self.reaching.names(name)}
        #: names of indexes that are all different
        self.distinct = distinct_names(pairs, others, types, self._is_mask)
        self.live.before(body, frozenset())
        while True:  # a name that stands for a part further down in a loop is no array of its own where it begins
            known = set(self.parts)
            self.handed, self.copied = {}, set()
            self._block(body, {name for name in method.param_names if self._is_array(cst.Name(name))})
            if known == self.parts:
                break

    def are_one(self, same: Mapping[str, str]) -> None:
        """Note parameters that are one array: more is written, or returned, under other names."""
        for name, other in same.items():
            self.reaching.views.setdefault(name, set()).add(other)
        for node in self.bindings if same else ():
            names = assigned_names(node)
            if node.value is not None and any(self._is_told(name, node.value) for name in names):
                self.shared.add(node)

    def names(self, node: cst.CSTNode) -> set[str]:
        """The names that go over to other arrays in a statement, or in one that is in it."""
        found = assigned_names(node)
        for each in small_statements([node]):
            if each in self.handed:
                found |= {*self.handed[each][0], *self.handed[each][1]}
            elif isinstance(each, cst.For | cst.While | cst.With | cst.If):
                inner = [*statements_of(each.body), *(else_statements(each) if isinstance(each, cst.If) else ())]
                found |= set[str]().union(*map(self.names, inner))
        return found

    def moved(self, node: cst.CSTNode) -> set[str]:
        """Such names, but for arrays that are only updated, `a += e`: those stay where they are."""
        within = list(nodes_in(node))
        updated = {name for each in within if isinstance(each, cst.AugAssign) for name in assigned_names(each)}
        others = {name for each in within for name in _bound(each) if not isinstance(each, cst.AugAssign)}
        handed = {name for each in within if each in self.handed for name in chain(*self.handed[each])}
        return self.names(node) - {each for each in updated - others - handed if self._is_array(cst.Name(each))}

    def _is_array(self, node: cst.BaseExpression) -> bool:
        kind = self.types.names.get(node.value) if isinstance(node, cst.Name) else self.types.nodes.get(node)
        return isinstance(kind, ArrayType)

    def _made(self, nodes: Sequence[cst.CSTNode]) -> set[str]:
        """The names that are bound to new arrays, to parts of some that are, and to nothing else."""
        found: set[str] = set()
        others: set[str] = set()
        for node in nodes:
            pairs = dict(pairs_of(node)) if isinstance(node, cst.Assign | cst.AnnAssign) else {}
            for name in _bound(node):
                value = pairs.get(name)
                makes = isinstance(value, cst.Name | cst.Subscript) or (value is not None and self.is_new(value))
                (found if makes else others).add(name)
        return found - others

    def is_new(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes an array by an allocation, a copy, or arithmetic."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        if callee is None:
            return self.gathers(node) or isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison)
        if callee.kind == "array":
            assert callee.given is not None
            if callee.given.function.name == OUT:
                return self.is_new(callee.given.nodes["out"][0])
            return not (callee.given.function.writes or self.may_share(node) or self._gives_a_part(node))
        if callee.kind in ("library", "numpy"):
            return not self.may_share(node)
        return callee.kind in ("allocate", "like", "copy", "astype", "reduce", "product") and not self.may_share(node)

    def may_share(self, node: cst.BaseExpression | None) -> bool:
        """Whether NumPy may give memory of another array, where a new array is made here."""
        if isinstance(node, cst.IfExp):
            return self.may_share(node.body) or self.may_share(node.orelse)
        if isinstance(node, cst.Subscript):
            return self._is_array(node) and self.may_share(node.value)
        if isinstance(node, cst.Attribute) and self._is_array(node):
            return node.attr.value in PARTS or self.may_share(node.value)
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        if callee is not None and callee.kind == "library":
            if callee.given is None or not callee.given.function.shares:
                return False
            operands = [each for values in callee.given.nodes.values() for each in values]
            return any(self._is_array(each) and self._lies_there(each) for each in operands)
        if node is None or callee is None or not self._is_array(node):
            return False
        if callee.given is not None:
            return _rearranges(callee.given) or callee.given.function.shares
        if callee.kind == "cast" and isinstance(node, cst.Call):
            given = node.args[0].value
            found = self.types.names.get(given.value) if isinstance(given, cst.Name) else self.types.nodes.get(given)
            return found == self.types.nodes.get(node)
        if callee.kind == "astype" and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            copies = [each.value for each in node.args if each.keyword is not None and each.keyword.value == "copy"]
            kept = any(not isinstance(each, cst.Name) or each.value != "True" for each in copies)
            return kept and self.types.nodes.get(node.func.value) == self.types.nodes.get(node)
        return callee.name in {"numpy": PARTS, "method": METHODS}.get(callee.kind, ())

    def _lies_there(self, node: cst.BaseExpression) -> bool:
        """Whether an argument is no array of the call's own."""
        known = isinstance(node, cst.Name | cst.Subscript | cst.Attribute | cst.IfExp) and not self.gathers(node)
        return known or self._gives_a_part_of_one(node) or self.may_share(node)

    def gathers(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is what lies at arrays of indexes, or under a mask: a new array."""
        if not isinstance(node, cst.Subscript):
            return False
        indexes = [each.slice.value for each in node.slice if isinstance(each.slice, cst.Index)]
        return any(self._is_array(each) or isinstance(self.types.nodes.get(each), TupleType) for each in indexes)

    def is_distinct(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is an array of different indexes."""
        return is_distinct(node, self.distinct, self.types, self._is_mask)

    def _is_mask(self, node: cst.CSTNode) -> bool:
        kind = self.types.names.get(node.value) if isinstance(node, cst.Name) else self.types.nodes.get(node)
        return isinstance(kind, ArrayType) and kind.dtype == "bool"

    def _gives_a_part_of_one(self, node: cst.BaseExpression) -> bool:
        """Whether a call gives a part of what is no array of the call's own."""
        if not isinstance(node, cst.Call) or not self._gives_a_part(node):
            return False
        given = self.types.calls[node].given
        values = [] if given is None else [each for nodes in given.nodes.values() for each in nodes]
        return any(self._is_array(each) and self._lies_there(each) for each in values)

    def _gives_a_part(self, node: cst.BaseExpression) -> bool:
        given = self.types.calls[node].given if isinstance(node, cst.Call) and node in self.types.calls else None
        return given is not None and given.function.gives_a_part

    def _block(self, statements: Sequence[cst.CSTNode], own: set[str]) -> None:
        """Go through a block before which the names `own` stand for arrays of their own; left as it is behind it."""
        for node in small_statements(statements):
            if isinstance(node, cst.Assign | cst.AnnAssign):
                self._assigned(node, own)
            elif isinstance(node, cst.For | cst.While | cst.With):
                self._block(statements_of(node.body), set(own) - self._inside(node))
            elif isinstance(node, cst.If):
                self._block(statements_of(node.body), set(own))
                self._block(else_statements(node), set(own))
            own -= self._inside(node) if not isinstance(node, cst.Assign | cst.AnnAssign) else set()

    def _inside(self, node: cst.CSTNode) -> set[str]:
        return assigned_names(node) & self.parts

    def _assigned(self, node: cst.Assign | cst.AnnAssign, own: set[str]) -> None:
        pairs = pairs_of(node)
        arrays = [(name, value) for name, value in pairs if self._is_array(value)]
        names = tuple(name for name, _ in arrays)
        given = tuple(value.value for _, value in arrays if isinstance(value, cst.Name))
        targets = _targets(node)
        names_alone = all(isinstance(each, cst.Name) for target in targets for each in target_parts(target))
        if names_alone and arrays and len(given) == len(arrays) == len({*given}) and {*names, *given} <= own:
            left = [name for name in given if name not in names]
            if not set(left) & self.live.behind.get(node, frozenset()):
                gone = [name for name in names if name not in given]
                if left or len(pairs) > len(arrays):
                    self.handed[node] = ((*names, *left), (*given, *gone))
                return
        if isinstance(node, cst.Assign) and self._is_array(node.value):
            rows = {
                name for each in node.targets if isinstance(each.target, cst.Tuple) for name in assigned_names(each)
            }
            self.parts |= {name for name in rows if self._is_array(cst.Name(name))}
            own -= rows
            if any(self._is_told(name, node.value) for name in rows):
                self.shared.add(node)
        for name, value in arrays:
            view = isinstance(value, cst.Subscript | cst.Attribute | cst.Name) or self._gives_a_part(value)
            view = view and not self.gathers(value)
            if (
                view
                and [name] == [getattr(t, "value", None) for t in targets]
                and self._may_copy(name, value, node, own)
            ):
                self.copied.add(node)
                view = False
            if self._is_told(name, value):
                self.shared.add(node)
            if view:
                self.parts.add(name)
                own.discard(name)
            else:
                own.add(name)

    def _is_told(self, name: str, value: cst.BaseExpression) -> bool:
        """Whether a new array is made for `name` where NumPy may give memory of another one, and somebody could tell:
        the name, or one that stands for a part of it, is written or returned, or read behind a store into the other."""
        if not self.may_share(value):
            return False
        own = self.reaching.lent(name)
        if own & (self.reaching.written | self.reaching.given_back):
            return True
        others = self.reaching.names(name) - own
        return any(
            own & self.live.behind.get(node, own) for node, stored in self.reaching.stores.items() if stored & others
        )

    def _may_copy(self, name: str, value: cst.BaseExpression, node: cst.CSTNode, own: set[str]) -> bool:
        """Whether nobody can tell a copy from the array that a name would be a second one of."""
        if self.counts[name] < 2 or name in names_read(value):
            return False
        names = self.reaching.names(name)
        if not names & self.reaching.written and not names & self.reaching.returned:
            return True
        gone = isinstance(value, cst.Name) and value.value not in self.live.behind.get(node, frozenset())
        return gone and names_read(value) <= own and not names & self.params and not self._has_parts(value)

    def given_once(self, name: str) -> bool:
        """Whether a part of an array may be returned as a copy: the method made the array, and the caller gets no more
        of it."""
        names = self.reaching.names(name)
        if not names <= self.made or names & self.params:
            return False
        for given in self.reaching.results:
            parts = [p for p in given if self.reaching.is_one(p) and (isinstance(p, cst.Tuple) or self._is_array(p))]
            arrays = [{n for n in values_read(part) if self._is_array(cst.Name(n))} for part in parts]
            several = sum(bool(names & each) for each in arrays)
            if several > 1 or (several and any(not each <= self.made for each in arrays)):
                return False
        return True

    def is_given_again(self, node: cst.BaseExpression) -> bool:
        """Whether what is returned may be memory that the caller reaches in another way, where a new array is made."""
        arrays = [name for name in values_read(node) if self._is_array(cst.Name(name))]
        return self.may_share(node) and not all(map(self.given_once, arrays))

    def _has_parts(self, value: cst.BaseExpression) -> bool:
        """Whether other names stand for parts of an array."""
        return any(names_read(value) & self.reaching.views.get(name, set()) for name in self.parts)


def _bound(node: cst.CSTNode) -> set[str]:
    """The names that a statement itself binds."""
    if isinstance(node, cst.For):
        return assigned_names(node.target)
    return assigned_names(node) if isinstance(node, cst.Assign | cst.AnnAssign) else set()


class _Reaching:
    """Which names may reach one array: `views` has for each name those whose arrays, or parts, it may stand for."""

    def __init__(
        self,
        nodes: Sequence[cst.CSTNode],
        is_array: Callable[[cst.BaseExpression], bool],
        may_share: Callable[[cst.BaseExpression], bool],
        gathers: Callable[[cst.BaseExpression], bool],
    ) -> None:
        self.may_share, self.gathers = may_share, gathers
        self.views: dict[str, set[str]] = {}
        #: names through which each statement writes arrays in place, all of them, and those that are returned
        self.stores: dict[cst.CSTNode, set[str]] = {}
        self.written: set[str] = set()
        self.returned: set[str] = set()
        #: names of arrays that are returned as they are, or parts of them
        self.given_back: set[str] = set()
        #: what each `return` gives
        self.results: list[list[cst.BaseExpression]] = []
        inside: dict[cst.Arg, cst.CSTNode] = {}  # the statements of arguments
        for node in nodes:
            if isinstance(node, cst.Assign | cst.AnnAssign):
                targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
                values = node.value.elements if isinstance(node.value, cst.Tuple) else ()
                if len(targets) == 1 and isinstance(targets[0], cst.Tuple) and len(targets[0].elements) == len(values):
                    for target, each in zip(targets[0].elements, values, strict=True):
                        self._assigned(node, list(target_parts(target.value)), each.value)
                else:
                    self._assigned(node, [part for each in targets for part in target_parts(each)], node.value)
            elif isinstance(node, cst.AugAssign):
                self._store(node, stored_in(node.target))
            elif isinstance(node, cst.Expr):
                self._store(node, names_read(node))
            elif isinstance(node, cst.Return) and node.value is not None:
                given = node.value.elements if isinstance(node.value, cst.Tuple) else [cst.Element(node.value)]
                self.results.append([each.value for each in given])
                self.given_back |= {
                    name for each in given if self.is_one(each.value) for name in values_read(each.value)
                }
                self.returned |= {n.value for n in nodes_of(node.value, cst.Name) if is_array(n)}
            elif isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "out":
                self._store(inside.get(node, node), names_read(node.value))
            if isinstance(node, cst.BaseSmallStatement):
                inside.update(dict.fromkeys(nodes_of(node, cst.Arg), node))

    def _store(self, node: cst.CSTNode, names: set[str]) -> None:
        self.written |= names
        self.stores.setdefault(node, set()).update(names)

    def _assigned(self, node: cst.CSTNode, targets: Sequence[cst.CSTNode], value: cst.BaseExpression | None) -> None:
        self._store(node, {name for each in targets if not isinstance(each, cst.Name) for name in stored_in(each)})
        if value is not None and self.is_one(value):
            for each in targets:
                if isinstance(each, cst.Name):
                    self.views.setdefault(each.value, set()).update(values_read(value))

    def is_one(self, node: cst.BaseExpression) -> bool:
        """Whether an expression may be an array that there is, or a part of one."""
        if isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Comparison) or self.gathers(node):
            return False
        shares = any(self.may_share(each) for each in nodes_of(node, cst.Call))
        return shares or isinstance(node, cst.Name | cst.Subscript | cst.Attribute | cst.Tuple | cst.IfExp)

    def lent(self, name: str) -> set[str]:
        """A name, and all that may stand for its array, or a part of it, by way of this name."""
        found = {name}
        while more := {n for n, others in self.views.items() if others & found} - found:
            found |= more
        return found

    def names(self, name: str) -> set[str]:
        """All names that may reach what a name reaches."""
        found, waiting = {name}, [name]
        while waiting:
            each = waiting.pop()
            more = self.views.get(each, set()) | {n for n, others in self.views.items() if each in others}
            waiting += more - found
            found |= more
        return found


def stored_in(target: cst.CSTNode) -> set[str]:
    """The names through which a target is stored: not those in its indexes."""
    while isinstance(target, cst.Subscript | cst.Attribute):
        target = target.value
    return names_read(target)


def _rearranges(given: Given) -> bool:
    """Whether `np.einsum` of one array, as in `"ij->ji"`, adds nothing up, and gives a part of it."""
    if len(given.nodes.get("operands", ())) != 1:
        return False
    letters, arrow, result = str(given.constants["subscripts"]).replace(" ", "").partition("->")
    return not arrow or "." in letters or {*letters} == {*result}


def _targets(node: cst.Assign | cst.AnnAssign) -> list[cst.BaseExpression]:
    return [node.target] if isinstance(node, cst.AnnAssign) else [each.target for each in node.targets]


def pairs_of(node: cst.Assign | cst.AnnAssign) -> list[Pair]:
    """The names that an assignment binds, with their values, as far as it shows these."""
    if isinstance(node, cst.AnnAssign):
        target, value = node.target, node.value
        return [(target.value, value)] if isinstance(target, cst.Name) and value is not None else []
    found: list[Pair] = []
    for each in node.targets:
        if isinstance(each.target, cst.Name):
            found.append((each.target.value, node.value))
        elif isinstance(each.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
            both = zip(each.target.elements, node.value.elements, strict=False)
            found += [(t.value.value, v.value) for t, v in both if isinstance(t.value, cst.Name)]
    return found
