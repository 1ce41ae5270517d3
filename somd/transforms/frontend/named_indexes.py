"""Names for the indexes of an element, written out where they index.

    at = i, (j + 1) % n          ->   at__0 = i; at__1 = (j + 1) % n
    b[at] = a[at] + c[at[0]]     ->   b[at__0, at__1] = a[at__0, at__1] + c[at__0]
    x, y = at                    ->   x, y = at__0, at__1

A name that is bound to tuples of one length alone, and is used for nothing else, is so many names. All others stay, as
do names that index nothing as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from somd.transforms.frontend.nested import BINDING, bound_names
from somd.transforms.stages import Method
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import MethodRewriter
from somd.transforms.tree.walking import nodes_of


def without_named_indexes(method: Method) -> Method:
    """`method` with the indexes that names stand for between brackets."""
    rewriter = _Indexes(method)
    return rewriter.rewritten() if rewriter.parts else method


class _Indexes(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        lengths = _lengths(method)
        whole = set(_indexing(method, lengths)) if lengths else set()
        #: names for the entries of each name
        self.parts = {
            name: [self.new(f"{name}__{k}", f"{name}[{k}]") for k in range(lengths[name])] for name in sorted(whole)
        }

    def entries(self, node: cst.CSTNode) -> list[str]:
        return self.parts.get(node.value, []) if isinstance(node, cst.Name) else []

    def leave_Assign(
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.Assign | cst.FlattenSentinel[cst.BaseSmallStatement]:
        place = self.positions[original_node]
        if entries := self.entries(updated_node.targets[0].target):
            values = [each.value for each in cst.ensure_type(updated_node.value, cst.Tuple).elements]
            if not names_read(updated_node.value) & set(entries):
                pairs = zip(entries, values, strict=True)
                lines = [cst.Assign([cst.AssignTarget(cst.Name(entry))], value) for entry, value in pairs]
                for line in lines:
                    self.place(line, place)
                return cst.FlattenSentinel(lines)
            made = updated_node.with_changes(targets=[cst.AssignTarget(_row(entries))])
        elif entries := self.entries(updated_node.value):
            made = updated_node.with_changes(value=_row(entries))
        else:
            return updated_node
        self.place(made, place)
        return made

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        made: cst.BaseExpression
        if entries := self.entries(updated_node.value):
            made = cst.Name(entries[_entry(updated_node) or 0], lpar=updated_node.lpar, rpar=updated_node.rpar)
        elif entries := self.entries(_only_index(updated_node) or updated_node):
            indexes = [cst.SubscriptElement(cst.Index(cst.Name(entry))) for entry in entries]
            made = updated_node.with_changes(slice=indexes)
        else:
            return updated_node
        self.place(made, self.positions[original_node])
        return made


def _lengths(method: Method) -> dict[str, int]:
    """The names that are bound to tuples of one length, and these; none that is used otherwise."""
    found: dict[str, int] = {}
    others = {param.name for param in method.params}
    allowed: set[cst.CSTNode] = set()
    for node in nodes_of(method.function.body, *BINDING):
        pair = _bound_tuple(node)
        if pair is None:
            others.update(bound_names(node))
            continue
        target, value = pair
        if found.setdefault(target.value, len(value.elements)) != len(value.elements):
            others.add(target.value)
        allowed.add(target)
    if not found.keys() - others:
        return {}
    for node in nodes_of(method.function.body, cst.Subscript, cst.Assign):
        allowed.update(_uses(node, found))
    others.update(node.value for node in nodes_of(method.function.body, cst.Name) if node not in allowed)
    return {name: length for name, length in found.items() if name not in others}


def _bound_tuple(node: cst.CSTNode) -> tuple[cst.Name, cst.Tuple] | None:
    """The name and the value of `name = x, y`."""
    if not isinstance(node, cst.Assign) or len(node.targets) != 1 or not isinstance(node.value, cst.Tuple):
        return None
    target = node.targets[0].target
    plain = node.value.elements and all(isinstance(each, cst.Element) for each in node.value.elements)
    return (target, node.value) if plain and isinstance(target, cst.Name) else None


def _uses(node: cst.CSTNode, lengths: dict[str, int]) -> Iterator[cst.CSTNode]:
    """The names in a node itself that entries may stand for."""
    if isinstance(node, cst.Assign):
        unpacked = node.targets[0].target if len(node.targets) == 1 else None
        if isinstance(node.value, cst.Name) and isinstance(unpacked, cst.Tuple):
            plain = all(isinstance(each, cst.Element) for each in unpacked.elements)
            if plain and len(unpacked.elements) == lengths.get(node.value.value):
                yield node.value
    elif isinstance(node, cst.Subscript):
        index = _only_index(node)
        if index is not None:
            yield index
        entry = _entry(node)
        if isinstance(node.value, cst.Name) and entry is not None:
            length = lengths.get(node.value.value, 0)
            if -length <= entry < length:
                yield node.value


def _indexing(method: Method, lengths: dict[str, int]) -> Iterator[str]:
    """Those of the names that stand alone between brackets."""
    for node in nodes_of(method.function.body, cst.Subscript):
        index = _only_index(node)
        if isinstance(index, cst.Name) and index.value in lengths:
            yield index.value


def _only_index(node: cst.Subscript) -> cst.BaseExpression | None:
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) and index.star is None else None


def _entry(node: cst.Subscript) -> int | None:
    """The entry of a tuple that is read, where it is a literal."""
    index = _only_index(node)
    negative = isinstance(index, cst.UnaryOperation) and isinstance(index.operator, cst.Minus)
    literal = index.expression if negative and isinstance(index, cst.UnaryOperation) else index
    if not isinstance(literal, cst.Integer):
        return None
    return -int(literal.value, 0) if negative else int(literal.value, 0)


def _row(entries: list[str]) -> cst.Name | cst.Tuple:
    """Names beside each other; one by itself."""
    if len(entries) == 1:
        return cst.Name(entries[0])
    return cst.Tuple([cst.Element(cst.Name(entry)) for entry in entries], lpar=[], rpar=[])
