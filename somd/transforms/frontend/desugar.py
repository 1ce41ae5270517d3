"""Loops over arrays and numbers as loops over a range.

    for v in a: ...                      ->   for v__at in range(len(a)): v = a[v__at]; ...
    for i, v in enumerate(a): ...        ->   for i in range(len(a)): v = a[i]; ...
    for i, v in enumerate(a, 1): ...     ->   for v__at in range(len(a)): i = v__at + 1; v = a[v__at]; ...
    for x, y in zip(a, b): ...           ->   for x__at in range(min(len(a), len(b))): x = a[x__at]; y = b[x__at]; ...
    for x, y in zip(reversed(a), b): ... ->   for x__at in range(...): x = a[len(a) - 1 - x__at]; y = b[x__at]; ...
    for k, x in zip(range(2, n), a): ... ->   for k__at in range(min(n - 2, len(a))): k = 2 + k__at; x = a[k__at]; ...
    for i in reversed(range(n)): ...     ->   for i in range(n - 1, -1, -1): ...
    for i in reversed(range(1, n, 3)):   ->   for i in range(1 + (n - 2) // 3 * 3, 0, -3): ...
    for x, y in rows: ...                ->   for x__at in range(len(rows)): x, y = rows[x__at]; ...
    for x, y in places: ...              ->   for x__at in range(len(places)): x = places[x__at][0]; y = ...
    for v in reversed(a): ...            ->   for v__at in range(len(a) - 1, -1, -1): v = a[v__at]; ...
    for i, v in enumerate(reversed(a)):  ->   for v__at in range(len(a) - 1, -1, -1): i = len(a) - 1 - v__at; v = ...
    for d in (-1, 1): ...                ->   for d in range(-1, 2, 2): ...
    for w in (0.5, 2.0): ...             ->   for w__at in range(2): w = 0.5 if w__at == 0 else 2.0; ...
    for y, x in ((0, 1), (1, 0)): ...    ->   for y__at in range(2): y = y__at; x = 1 if y__at == 0 else 0; ...

What is made stands where the loop's header stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

import libcst as cst

from somd.transforms.frontend.iterated import named_iterated
from somd.transforms.frontend.loop_else import loops_without_else
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.unrolled import unrolled_loops
from somd.transforms.stages import Method
from somd.transforms.tree.loops import Range, integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, evaluate, names_read, unused
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed
from somd.transforms.tree.spelling import UNNAMED
from somd.transforms.tree.walking import nodes_of

#: rows that a loop over numbers that are written out has at most
MOST_ROWS = 32
_TRUTH = ("True", "False")


def plain_loops(method: Method) -> Method:
    """`method` with all its loops over ranges, as far as they can be written so, and without `else`."""
    return loops_without_else(loops_over_indexes(unrolled_loops(named_iterated(method))))


def loops_over_indexes(method: Method) -> Method:
    """`method` with `for` over arrays, `enumerate` and `zip` written with `range`; other loops stay as they are."""
    return _Loops(method).rewritten()


@dataclass(frozen=True)
class _Form:
    """A loop over `range` text by the name `index`, and what its body assigns first: (name, text of the value). `turn`
    is how often it was run before, where that is not the index."""

    index: str
    range: str
    assigned: tuple[tuple[str, str], ...] = ()
    turn: str = ""


class _Loops(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        form = self._over_arrays(updated_node) or _over_numbers(updated_node, self.method)
        form = form or self._over_rows(updated_node)
        if form is None:
            return updated_node
        header = cst.ensure_type(cst.parse_statement(f"for {form.index} in {form.range}:\n    pass\n"), cst.For)
        made = updated_node.with_changes(target=header.target, iter=header.iter)
        place = self.positions[original_node.target]
        lines = parsed(*(f"{target} = {value}\n" for target, value in form.assigned))
        if lines:
            body = [*lines, *cast(Sequence[cst.BaseStatement], statements_of(updated_node.body))]
            made = made.with_changes(body=cst.IndentedBlock(body))
        for part in (made.target, made.iter, *lines):
            self.place(part, place)
        return made

    def _over_arrays(self, node: cst.For) -> _Form | None:
        """The form of a loop over arrays; None if the loop is of another kind, or gives a name of theirs to another."""
        target, iterated = node.target, node.iter
        if names_read(iterated) & assigned_names(node):
            return None
        if isinstance(iterated, cst.Name) and isinstance(target, cst.Name):
            if iterated.value not in self.method.local_names:
                return None
            own = self._own(target.value)
            return _Form(own, f"range(len({iterated.value}))", ((target.value, f"{iterated.value}[{own}]"),))
        names = [element.value for element in target.elements] if isinstance(target, cst.Tuple) else []
        if isinstance(iterated, cst.Name) and iterated.value in self.method.kinds and names:
            plain = [name.value for name in names if isinstance(name, cst.Name)]
            if len(plain) < len(names):
                return None
            own = self._own(plain[0])
            entries = tuple((name, f"{iterated.value}[{own}][{k}]") for k, name in enumerate(plain))
            return _Form(own, f"range(len({iterated.value}))", entries)
        if isinstance(iterated, cst.Name) and iterated.value in self.method.local_names and _is_row(target):
            own = self._own(_first_of(target))
            return _Form(own, f"range(len({iterated.value}))", ((code_of(target), f"{iterated.value}[{own}]"),))
        if not (isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Name)):
            return None
        back_to_front = _turned_round(iterated)
        if isinstance(back_to_front, cst.Name):
            inner = self._over_arrays(node.with_changes(iter=back_to_front))
            length = f"len({back_to_front.value})"
            back = f"range({length} - 1, -1, -1)"
            return None if inner is None else replace(inner, range=back, turn=f"{length} - 1 - {inner.index}")
        given = [a for a in iterated.args if not _not_strict(a)]
        arguments = [a.value for a in given if a.keyword is None and not a.star]
        if iterated.func.value == "enumerate":
            return self._enumerated(node, iterated)
        if iterated.func.value == "zip" and len(given) == len(arguments) and arguments:
            targets = _names(target, len(arguments))
            plain = [code_of(t) for t in targets or () if isinstance(t, cst.Name) or _is_row(t)]
            if targets is None or len(plain) != len(arguments):
                return None
            own = unused(f"{_first_of(targets[0])}__at", self.method.local_names, self.method.namespace)
            sources = [s for s in (self._source(each, own) for each in arguments) if s is not None]
            if len(sources) < len(plain) or all(length.isdecimal() for length, _ in sources):
                return None
            self.spelled[own] = UNNAMED
            lengths = ", ".join(length for length, _ in sources)
            elements = tuple((v, element) for v, (_, element) in zip(plain, sources, strict=True))
            return _Form(own, f"range(min({lengths}))" if len(sources) > 1 else f"range({lengths})", elements)
        return None

    def _source(self, node: cst.BaseExpression, index: str) -> tuple[str, str] | None:
        """The texts of the length of what `zip` takes, and of its entry at an index."""
        if isinstance(node, cst.Name):
            return f"len({node.value})", f"{node.value}[{index}]"
        back = _turned_round(node)
        if isinstance(back, cst.Name):
            return f"len({back.value})", f"{back.value}[len({back.value}) - 1 - {index}]"
        counted = _counted(node)
        if counted is not None:
            first, end = counted
            return (f"({end}) - ({first})", f"({first}) + {index}") if first else (f"({end})", index)
        row = _entries(node)
        if not 0 < len(row) <= MOST_ROWS or not all(self._is_number(each) for each in row):
            return None
        return str(len(row)), _one_of(row, index)

    def _enumerated(self, node: cst.For, call: cst.Call) -> _Form | None:
        parts = _names(node.target, 2)
        start = _start(call)
        if parts is None or not isinstance(parts[0], cst.Name) or start is None:
            return None
        counter = parts[0].value
        alone = node.with_changes(target=parts[1], iter=call.args[0].value)
        inner = self._over_arrays(alone) or self._over_rows(alone)
        if inner is None or names_read(start) & assigned_names(node) or counter in (inner.index, *names_read(parts[1])):
            return None
        from_zero = isinstance(start, cst.Integer) and int(start.evaluated_value) == 0
        elements_only = all(f"[{inner.index}]" in value for _, value in inner.assigned)
        if from_zero and not inner.turn and elements_only and inner.index in self.spelled:
            elements = tuple((v, e.replace(f"[{inner.index}]", f"[{counter}]")) for v, e in inner.assigned)
            return _Form(counter, inner.range, elements)
        first = "" if from_zero else f" + {cst.Module([]).code_for_node(start)}"
        count = f"{inner.turn or inner.index}{first}"
        return _Form(inner.index, inner.range, ((counter, count), *inner.assigned), inner.turn)

    def _over_rows(self, node: cst.For) -> _Form | None:
        """The form of a loop over a few numbers, or rows of them, that are written out."""
        several = isinstance(node.target, cst.Tuple)
        targets = [each.value for each in node.target.elements] if isinstance(node.target, cst.Tuple) else [node.target]
        names = [each.value for each in targets if isinstance(each, cst.Name)]
        rows = [_entries(row) if several else [row] for row in _entries(node.iter)]
        if not 0 < len(rows) <= MOST_ROWS or len(names) < len(targets) or len(set(names)) < len(names):
            return None
        if any(len(row) != len(names) or not all(self._is_number(each) for each in row) for row in rows):
            return None
        own = self._own(names[0])
        columns = zip(names, zip(*rows, strict=True), strict=True)
        return _Form(own, f"range({len(rows)})", tuple((name, _one_of(column, own)) for name, column in columns))

    def _is_number(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a number that is written out, one from outside of the method, or made of such."""
        if isinstance(node, cst.BinaryOperation):
            return self._is_number(node.left) and self._is_number(node.right)
        if isinstance(node, cst.UnaryOperation):
            return not isinstance(node.operator, cst.Not) and self._is_number(node.expression)
        if isinstance(node, cst.Integer | cst.Float) or (isinstance(node, cst.Name) and node.value in _TRUTH):
            return True
        return type(evaluate(node, self.method.namespace, self.method.local_names)) in (bool, int, float)

    def _own(self, name: str) -> str:
        own = unused(f"{name}__at", self.method.local_names, self.method.namespace)
        self.spelled[own] = UNNAMED
        return own


def _not_strict(arg: cst.Arg) -> bool:
    """`strict=False`, which is what `zip` does anyway."""
    named = arg.keyword is not None and arg.keyword.value == "strict"
    return named and isinstance(arg.value, cst.Name) and arg.value.value == "False"


def _counted(node: cst.BaseExpression) -> tuple[str, str] | None:
    """The texts of where a range with steps of 1 begins, "" for 0, and of where it ends."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value != "range":
        return None
    if len(node.args) not in (1, 2) or any(each.star or each.keyword is not None for each in node.args):
        return None
    first = node.args[0].value if len(node.args) == 2 else None
    if first is not None and not isinstance(first, cst.Integer | cst.Name):
        return None  # it is read in each turn
    return "" if first is None else code_of(first), code_of(node.args[-1].value)


def _names(target: cst.BaseExpression, count: int) -> list[cst.BaseExpression] | None:
    if isinstance(target, cst.Tuple) and len(target.elements) == count:
        return [element.value for element in target.elements]
    return None


def _is_row(target: cst.BaseExpression) -> bool:
    """Whether a target is names for the entries of a row."""
    names = [each.value for each in target.elements] if isinstance(target, cst.Tuple) else []
    return len(names) > 1 and all(isinstance(each, cst.Name) for each in names)


def _first_of(target: cst.BaseExpression) -> str:
    return cst.ensure_type(target.elements[0].value if isinstance(target, cst.Tuple) else target, cst.Name).value


def _turned_round(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What `reversed` is called for."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or node.func.value != "reversed":
        return None
    return node.args[0].value if len(node.args) == 1 and not node.args[0].star else None


def _entries(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The entries of a tuple or list that is written out; none of others."""
    if not isinstance(node, cst.Tuple | cst.List) or any(isinstance(e, cst.StarredElement) for e in node.elements):
        return []
    return [element.value for element in node.elements]


def _one_of(column: Sequence[cst.BaseExpression], index: str) -> str:
    """The text of the entry at an index: linear in it where integers have equal distances."""
    values = [_integer(each) for each in column]
    first, step = values[0], 0
    if len(values) > 1 and values[0] is not None and values[1] is not None:
        step = values[1] - values[0]
    if first is not None and values == [first + k * step for k in range(len(values))]:
        scaled = index if step == 1 else f"{step} * {index}"
        return str(first) if step == 0 else scaled if first == 0 else f"{scaled} + {first}"
    texts = [cst.Module([]).code_for_node(each) for each in column]
    last = max((k for k, text in enumerate(texts) if text != texts[-1]), default=-1) + 1
    return " ".join([*(f"{text} if {index} == {k} else" for k, text in enumerate(texts[:last])), texts[-1]])


def _start(call: cst.Call) -> cst.BaseExpression | None:
    """Where `enumerate` begins to count: 0, a constant or a name; None if its arguments are of another form."""
    if not call.args or any(a.star for a in call.args) or call.args[0].keyword is not None or len(call.args) > 2:
        return None
    if len(call.args) == 1:
        return cst.Integer("0")
    second = call.args[1]
    if second.keyword is not None and second.keyword.value != "start":
        return None
    return second.value if isinstance(second.value, cst.Integer | cst.Name) else None


def _over_numbers(node: cst.For, method: Method) -> _Form | None:
    """`reversed(range(...))`, and integers in a row with equal distances, as a range."""
    if not isinstance(node.target, cst.Name):
        return None
    iterated = node.iter
    if isinstance(iterated, cst.Tuple | cst.List):
        values = [_integer(element) for element in _entries(iterated)]
        numbers = [v for v in values if v is not None]
        if not numbers or len(numbers) < len(iterated.elements):
            return None
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
        if step == 0 or any(b - a != step for a, b in pairwise(numbers)):
            return None
        return _Form(node.target.value, f"range({numbers[0]}, {numbers[-1] + (1 if step > 0 else -1)}, {step})")
    if not (isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Name)):
        return None
    if iterated.func.value != "reversed" or len(iterated.args) != 1:
        return None
    inner = range_of(node.with_changes(iter=iterated.args[0].value))
    made = None if inner is None else backward(inner, method)
    return None if made is None else _Form(node.target.value, made)


def backward(header: Range, method: Method) -> str | None:
    """The text of the range with the same numbers in the opposite order; None where one of its limits would have to be
    evaluated twice, and may not be."""
    start, stop, by = (cst.Module([]).code_for_node(each) for each in (header.start, header.stop, header.step))
    step = integer_constant(header.step, method)
    if step == 0:
        return None
    if step is not None and abs(step) == 1:
        before = "-1" if (start, step) == ("0", 1) else f"({start}) {'-' if step > 0 else '+'} 1"
        return f"range(({stop}) {'-' if step > 0 else '+'} 1, {before}, {-step})"
    low, high = integer_constant(header.start, method), integer_constant(header.stop, method)
    if step is not None and low is not None and high is not None:
        backward = range(low, high, step)[::-1]
        return f"range({backward.start}, {backward.stop}, {backward.step})"
    if not _repeatable(header.start, method) or not _repeatable(header.step, method):
        return None
    if step is None:
        one, by, back = f"(1 if ({by}) > 0 else -1)", f"({by} if ({by}) != 0 else 1)", f"-({by})"
    else:
        one, by, back = ("1", str(step), str(-step)) if step > 0 else ("(-1)", f"({step})", str(-step))
    last = f"(({stop}) - ({start}) - {one}) // {by} * {by}"
    return f"range(({start}) + {last}, ({start}) - {one}, {back})"


def _repeatable(node: cst.BaseExpression, method: Method) -> bool:
    """Whether an expression may be evaluated twice: it calls none of the user's functions."""
    return not any(called_function(each, method) for each in nodes_of(node, cst.Call))


def _integer(node: cst.BaseExpression) -> int | None:
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = _integer(node.expression)
        return None if inner is None else -inner
    return None
