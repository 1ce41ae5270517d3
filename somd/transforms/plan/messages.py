"""The words of what the planner refuses (SOMD105, SOMD205, SOMD206 and SOMD3xx)."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst
import numpy as np

from somd.arguments.instead import drawn, is_random
from somd.diagnostics.model import Diagnostic, Label, Position
from somd.transforms.access import Access
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import variable as isl_name
from somd.transforms.analysis.array_updates import updates_of
from somd.transforms.analysis.dependences import OTHER, Conflict
from somd.transforms.analysis.reductions import normalised
from somd.transforms.library import library_function
from somd.transforms.plan.carried_helps import PARTIAL, handed_on, is_name, scanned
from somd.transforms.plan.combined_messages import SKIPS
from somd.transforms.stages import Method
from somd.transforms.tree.loops import fence_of, range_of
from somd.transforms.tree.names import evaluate, names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.spelling import UNNAMED
from somd.transforms.tree.walking import Reader, holds, nodes_in, nodes_of

COPY = "if the result may use the values from before the loop, read from a copy"
RELAX = "if values from before will do for the elements of other threads alone, use `with sync(relaxed=True):`"
SINGLE = "if the order matters, put the loop in `with single:`: one thread then runs it, in order"
NOT_DISTRIBUTED = "this loop cannot be distributed: "


def _single(method: Method, place: cst.CSTNode) -> tuple[str, ...]:
    """The way out of one thread for the loop around a place; it is none where what all threads have is reduced, by a
    function at the end or by the fence around the loop."""
    fences = ((node, fence_of(node, method)) for node in nodes_of(method.function.body, cst.With))
    reducing = (node for node, fence in fences if fence is not None and fence.reduce is not None)
    reduced = method.combine is not None or any(place in nodes_in(node) for node in reducing)
    return () if reduced else (SINGLE,)


def no_loop(method: Method) -> Diagnostic:
    """A method without loops."""
    labels = [Label(method.position(method.function.name), "no loop here indexes a distributed array", True)]
    marked = next((p.name for p in method.params if p.distributed), None)
    helps: tuple[str, ...] = ("mark an array, and write a loop that indexes it: `a: dist[np.ndarray]`",)
    if marked is not None:
        helps = (f"write a loop over `range(...)` whose variable indexes `{marked}`",)
    whole = next((node for node in nodes_in(method.function.body) if _is_of_numpy(node, method)), None)
    if whole is not None:
        text = cst.Module([]).code_for_node(cst.ensure_type(whole, cst.Call).func)
        labels.append(Label(method.position(whole), f"`{text}` is not made into one", False))
        helps = (f"write out the loop that `{text}` stands for, or call it outside of the method",)
        if is_random(evaluate(cst.ensure_type(whole, cst.Call).func, method.namespace, method.local_names)):
            helps = drawn(text.rpartition(".")[2])
    return Diagnostic("SOMD105", f"`{method.name}` has nothing to distribute", tuple(labels), helps)


def nothing_distributed(method: Method, unmarked: str | None) -> Diagnostic:
    """A method whose loops would be distributed if the array `unmarked` were marked, or where it is None, if no `dim`
    ruled their axes out."""
    labels = (Label(method.position(method.function.name), "no loop here indexes a distributed array", True),)
    owner, _, name = method.spelled.get(unmarked or "", unmarked or "").rpartition(".")
    where = ", in the class" if owner else ""
    helps = (f"mark the array that its loops index{where}: `{name}: dist[np.ndarray]`",)
    if unmarked is None:
        helps = ("let `dim` name the axis that the loops index, or leave it out: then all axes may be divided",)
    return Diagnostic("SOMD105", f"`{method.name}` has nothing to distribute", labels, helps)


def too_complex(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "this loop", True),)
    helps = ("split the loop, or give the inner indexes simpler expressions", *_single(method, loop))
    message = "the analysis gave up on this loop: its dependences need more work than a compiler should spend"
    return Diagnostic("SOMD311", message, labels, helps)


def conflict(method: Method, loop: cst.For, found: Conflict, relaxable: bool = False) -> Diagnostic:
    """Both accesses, and two iterations that meet, where isl has an example; `relaxable` tells that nothing but this is
    in the way of relaxing the loop."""
    first, second = found.first, found.second
    header = range_of(loop)
    assert header is not None
    spelled = method.spelled.get(header.variable, header.variable)
    variable = None if spelled == UNNAMED else spelled
    example = (*(_example(variable, found) if variable else ()), *_shared(method, found))
    apart = _apart(method, found)
    fence = _fence_form(method, loop, first.array) if first.array == second.array else ()
    labels = [_label(method, first, primary=first.write and second.write)]
    if second.node is not first.node or second.write != first.write:
        labels.append(_label(method, second, primary=not (first.write and second.write)))
    if not found.certain:
        return replace(_unproved(method, loop, variable, found, tuple(labels)), notes=_shared(method, found))
    if first.write and second.write:
        message = f"{NOT_DISTRIBUTED}two iterations{_of(variable)} write the same element"
        helps = (*apart, *fence, *_own(method, found), *_single(method, loop))
        return Diagnostic("SOMD302", message, tuple(labels), helps, example)
    message = NOT_DISTRIBUTED + _direction(variable, found)
    relaxed = (RELAX,) if relaxable and method.combine is None else ()
    ways = (COPY, *relaxed, *_single(method, loop))
    if fence:
        ways = _single(method, loop)
    elif found.distance is not None and found.distance > 0:  # what is read has been written before: a recurrence
        ways = (*_single(method, loop), COPY, *relaxed)
    if _single(method, loop) and not apart:
        ways = (*scanned(method, loop, found), *ways)
    helps = (*apart, *fence, *_own(method, found), *ways)
    return Diagnostic("SOMD301", message, tuple(labels), helps, example)


def _shared(method: Method, found: Conflict) -> tuple[str, ...]:
    """That two names stand for one array, which the source does not show."""
    names = dict.fromkeys(method.spelled.get(a.array, a.array) for a in (found.first, found.second))
    return (f"the call gives one array for {' and '.join(f'`{name}`' for name in names)}",) if len(names) > 1 else ()


def _apart(method: Method, found: Conflict) -> tuple[str, ...]:
    """The way out where a call gives one array for two."""
    names = list(dict.fromkeys(method.spelled.get(a.array, a.array) for a in (found.first, found.second)))
    if len(names) < 2:
        return ()
    return (f"if `{names[1]}` is to be an array of its own, pass a copy of it: `{names[1]}.copy()`",)


def _own(method: Method, found: Conflict) -> tuple[str, ...]:
    """The way out for an array that the method makes before the loop, as scratch for each iteration."""
    name = found.first.array
    if name in method.param_names:
        return ()
    return (f"if each iteration needs `{name}` for itself alone, allocate it in the body of the loop",)


def _of(variable: str | None) -> str:
    """Of which loop variable; none is named where a pass made it (`for v in a`)."""
    return "" if variable is None else f" of `{variable}`"


def _unproved(
    method: Method, loop: cst.For, variable: str | None, found: Conflict, labels: tuple[Label, ...]
) -> Diagnostic:
    unknown = found.first if None in found.first.indices or not found.first.usual else found.second
    what = "writes" if unknown.write else "reads"
    header = range_of(loop)
    strided = header is not None and header.variable in method.strided
    kind = "an element that depends on the step" if strided else "an element under a condition on data"
    if None in unknown.indices:
        position = unknown.indices.index(None)
        index = index_expressions(unknown.node)[position]
        data = holds(index, cst.Subscript)
        kind = "an element that depends on data" if data else "an element whose index is not affine"
    message = f"{NOT_DISTRIBUTED}iterations{_of(variable)} may meet in `{unknown.array}`, and it {what} {kind}"
    index_variable = f"`{variable}`" if variable else "the variable of a loop over `range(...)`"
    different = f"if different iterations reach different elements of `{unknown.array}`"
    helps: tuple[str, ...] = (
        f"{different}, compute the index from {index_variable} with +, -, constant factors, // and %",
    )
    if what == "writes" and _counts(unknown, loop):
        own = f"`out = np.empty_like({unknown.array})`"
        helps = (f"for a filter, write into an array of its own, {own}, of which nothing is read",)
    elif None not in unknown.indices:
        helps = (f"{different}, write the step as a number",) if strided else ()
        helps += (COPY,) if not (found.first.write and found.second.write) else ()
    elif kind.endswith("data"):
        keys = f"if an array of keys, and nothing else, indexes `{unknown.array}`"
        helps += (f"{keys}, let `partition(ByKey)` on the keys keep each key to one thread",)
    fence = _fence_form(method, loop, unknown.array)
    return Diagnostic("SOMD303", message, labels, (*fence, *helps, *_single(method, loop)))


def _counts(access: Access, loop: cst.For) -> bool:
    """Whether an element is chosen by a counter of the loop: `a[k] = x; k += 1`."""
    names = set[str]().union(*map(names_read, index_expressions(access.node)))
    updates = (node for node in nodes_of(loop, cst.AugAssign))
    return any(isinstance(each.target, cst.Name) and each.target.value in names for each in updates)


def _fence_form(method: Method, loop: cst.For, array: str) -> tuple[str, ...]:
    """How a fence would combine the MIs' copies of `array`, if the loop only updates it, by one operator."""
    updates = updates_of(array, (loop,), method)
    inside = {
        node
        for update in updates
        for node in nodes_in(update.node)
        if isinstance(node, cst.Subscript) and normalised(node) == normalised(update.target)
    }
    named = [n for n in nodes_of(loop, cst.Subscript) if array in names_read(n.value)]
    operators = {update.op for update in updates}
    if len(operators) != 1 or any(node not in inside for node in named):
        return ()
    form = f'with sync({array}, reduce="{operators.pop()}"):'
    what = f"let a fence combine the threads' copies of `{array}`"
    return (f"for a histogram or scatter, {what}: put the loop in `{form}`",)


def _label(method: Method, access: Access, primary: bool) -> Label:
    text = code_of(access.node)
    return Label(access.position, f"{'write' if access.write else 'read'} of {text}", primary)


def _direction(variable: str | None, found: Conflict) -> str:
    if found.distance is None or variable is None:
        return f"an iteration{_of(variable)} reads what another writes"
    return f"iteration {variable} reads what iteration {variable}{-found.distance:+} writes"


def _example(variable: str, found: Conflict) -> tuple[str, ...]:
    mine, other = (found.values.get(isl_name(variable) + suffix) for suffix in ("", OTHER))
    if mine is None or other is None:
        return ()
    element = ", ".join(str(found.values.get(f"e_{k}", "?")) for k in range(len(found.first.indices)))
    low, high = sorted((mine, other))
    array = found.first.array
    return (f"for example, {variable} = {low} and {variable} = {high} both reach {array}[{element}]",)


def relaxed_write(method: Method, loop: cst.For, write: Access, read: Access) -> Diagnostic:
    """A loop of a relaxed block in which an MI may write outside a part of its own."""
    header = range_of(loop)
    assert header is not None
    variable = "the loop variable" if header.variable in method.spelled else f"`{header.variable}`"
    labels = (_label(method, write, primary=True), _label(method, read, primary=False))
    message = (
        f"this loop cannot be relaxed: what an iteration writes of `{write.array}` does not stand at {variable} "
        "plus a constant along an axis"
    )
    helps = (
        f"index every write of `{write.array}` with {variable} plus or minus a constant, along one axis",
        "if each element is written by one iteration alone, and values from before the block will do, read from a copy",
        *_single(method, loop),
    )
    return Diagnostic("SOMD314", message, labels, helps)


def relaxed_combining(method: Method, loop: cst.For, name: str) -> Diagnostic:
    """A loop with relaxed reads that also makes copies: of an array that the fence combines, or partial results."""
    labels = (Label(method.position(loop.iter), "this loop", True),)
    helps = (f"compute `{name}` in a loop of its own",)
    message = f"this loop cannot be relaxed: each thread also has a copy of `{name}` in it"
    return Diagnostic("SOMD314", message, labels, helps)


def library_call(method: Method, node: cst.CSTNode) -> Diagnostic:
    """A function of NumPy's that Python calls, in a loop that threads would share."""
    found = library_function(node, method)
    assert found is not None
    name = found.text.partition("(")[0]
    message = f"{NOT_DISTRIBUTED}Python calls `{name}`, between loops, for whole arrays"
    helps = ("call it before the loop for all rows at once, with `axis`, or write out in loops what it does",)
    return Diagnostic("SOMD203", message, (Label(method.position(node), "here", True),), helps)


def relaxed_binding(method: Method, block: cst.With, name: str) -> Diagnostic:
    """An array read from a snapshot, bound to something else in the block."""
    labels = (Label(method.position(block.items[0]), "this block", True),)
    helps = ("allocate and exchange arrays outside the block", "let the block hold one loop")
    message = f"`{name}` is bound in a relaxed block that reads it as it was when the block began"
    return Diagnostic("SOMD314", message, labels, helps)


def _is_of_numpy(node: cst.CSTNode, method: Method) -> bool:
    """Whether a node calls a function of NumPy's that computes with whole arrays."""
    if not isinstance(node, cst.Call):
        return False
    function = evaluate(node.func, method.namespace, method.local_names)
    name = str(getattr(function, "__name__", "")).removesuffix("_like")
    makes = isinstance(function, np.ufunc | type) or name in ("empty", "zeros", "ones", "full", "copy", "array")
    return not makes and str(getattr(function, "__module__", "")).startswith("numpy")


def carried(method: Method, loop: cst.For, name: str) -> Diagnostic:
    """A scalar that goes from one iteration to the next, with its write and its read."""
    inner = next((n for n in nodes_of(loop.body, cst.For) if is_name(n.target, name)), None)
    if inner is not None:
        return _kept_variable(method, loop, inner, name)
    write, read = _uses(name, loop)
    labels = [Label(method.position(write), f"`{name}` is written here", True)]
    if read is not None and method.position(read) != method.position(write):
        labels.append(Label(method.position(read), "and read here by a later iteration", False))
    helps = (*handed_on(loop, name), *_single(method, loop))
    if read is not None and _accumulates(name, loop):
        message = f"the partial value of `{name}` is used before its reduction"
        return Diagnostic("SOMD308", message, tuple(labels), helps)
    message = f"{NOT_DISTRIBUTED}`{name}` goes from one iteration to the next"
    return Diagnostic("SOMD304", message, tuple(labels), helps)


def _kept_variable(method: Method, loop: cst.For, inner: cst.For, name: str) -> Diagnostic:
    """The variable of an inner loop, used outside of it: where that loop is empty, it is that of another iteration."""
    inside = set(nodes_in(inner))
    read = next((n for n in nodes_in(loop.body) if is_name(n, name) and n not in inside), None)
    labels = [Label(method.position(inner.target), f"`{name}` is set here, if the loop is not empty", True)]
    if read is not None:
        labels.append(Label(method.position(read), "and used outside of the loop", False))
    message = f"{NOT_DISTRIBUTED}`{name}` goes from one iteration to the next where the loop over it is empty"
    helps = (f"set `{name}` before the loop over it, to what it shall be then: `{name} = 0`", *_single(method, loop))
    return Diagnostic("SOMD304", message, tuple(labels), helps)


def _accumulates(name: str, loop: cst.For) -> bool:
    nodes = nodes_of(loop.body, cst.AugAssign, cst.AssignTarget)
    found = [node for node in nodes if isinstance(node.target, cst.Name) and node.target.value == name]
    update = found[0] if len(found) == 1 else None
    return isinstance(update, cst.AugAssign) and isinstance(update.operator, cst.AddAssign | cst.MultiplyAssign)


def first_write(name: str, loop: cst.For) -> cst.CSTNode:
    """The first node of `loop` that writes `name`."""
    return _uses(name, loop)[0]


def _uses(name: str, loop: cst.For) -> tuple[cst.CSTNode, cst.CSTNode | None]:
    """The first node that writes `name` in the loop, and the first that reads it outside such an update."""
    writes: list[cst.CSTNode] = []
    reads: list[cst.CSTNode] = []

    class Uses(Reader):
        def visit_AugAssign(self, node: cst.AugAssign) -> bool:
            if isinstance(node.target, cst.Name) and node.target.value == name:
                writes.append(node.target)
                node.value.visit(self)
                return False
            return True

        def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
            if isinstance(node.target, cst.Name):
                if node.target.value == name:
                    writes.append(node.target)
                return False
            return True

        def visit_For(self, node: cst.For) -> None:
            if isinstance(node.target, cst.Name) and node.target.value == name:
                writes.append(node.target)

        def visit_Name(self, node: cst.Name) -> None:
            if node.value == name and node not in writes:
                reads.append(node)

    loop.visit(Uses())
    return (writes[0] if writes else loop), (reads[0] if reads else None)


def live_after(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write, _ = _uses(name, loop)
    message = f"`{name}` is assigned in a distributed loop and used after it"
    labels = (Label(method.position(write), f"each thread has its own `{name}`", True),)
    helps = (f"compute the value of `{name}` that you need after the loop, outside of it", *_single(method, loop))
    return Diagnostic("SOMD305", message, labels, helps)


def step_not_constant(method: Method, step: cst.BaseExpression) -> Diagnostic:
    labels = (Label(method.position(step), "not an integer constant", True),)
    helps = ("write the step as a literal or as a module-level constant",)
    return Diagnostic("SOMD205", "the step of a distributed loop must be a constant other than 0", labels, helps)


def array_in_bound(method: Method, limit: cst.BaseExpression) -> Diagnostic:
    labels = (Label(method.position(limit), "reads an array", True),)
    helps = ("assign the value to a scalar before the loop",)
    return Diagnostic("SOMD205", "the bounds of a distributed loop must be scalars", labels, helps)


def bound_changes(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "a name in here is assigned in the loop", True),)
    helps = ("use another name inside the loop",)
    return Diagnostic("SOMD205", "the bounds of a distributed loop change inside it", labels, helps)


def variable_assigned(method: Method, loop: cst.For) -> Diagnostic:
    labels = (Label(method.position(loop.target), "assigned again in the body", True),)
    helps = ("use another name inside the loop",)
    return Diagnostic("SOMD205", "a distributed loop assigns its own variable", labels, helps)


def leaves_loop(method: Method, node: cst.CSTNode) -> Diagnostic:
    word = "return" if isinstance(node, cst.Return) else "break"
    message = f"`{word}` would end a distributed loop early: later iterations may have run already"
    labels = (Label(method.position(node), "leaves the loop here", True),)
    helps = ("let all iterations run and reduce a flag, or put the loop in `with single:`",)
    return Diagnostic("SOMD206", message, labels, helps)


def array_assigned(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write, _ = _uses(name, loop)
    labels = (Label(method.position(write), "a whole array is bound here", True),)
    helps = ("bind it to an allocation such as `np.zeros(8)`, one name at a time, and write its elements",)
    return Diagnostic("SOMD201", f"array `{name}` is bound inside a distributed loop", labels, helps)


def array_carried(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write, _ = _uses(name, loop)
    labels = (Label(method.position(write), "a new array, but not on every way to its uses", True),)
    helps = (f"allocate `{name}` at the top of the loop's body",)
    message = f"an iteration may use the array `{name}` that an earlier iteration made"
    return Diagnostic("SOMD312", message, labels, helps)


def array_live_after(method: Method, loop: cst.For, name: str) -> Diagnostic:
    write, _ = _uses(name, loop)
    labels = (Label(method.position(write), f"each iteration has its own `{name}`", True),)
    helps = (
        f"allocate `{name}` before the loop, and let each iteration write elements of its own",
        *_single(method, loop),
    )
    return Diagnostic("SOMD312", f"the array `{name}` is made in a distributed loop and used after it", labels, helps)


def length_varies(method: Method, allocation: cst.Call, name: str) -> Diagnostic:
    labels = (Label(method.position(allocation), "lengths that the analysis does not see to be the same", True),)
    helps = ("give it the largest length that any iteration needs: a constant, or a scalar that the loop leaves alone",)
    message = f"the array `{name}` of a distributed loop must have the same lengths in every iteration"
    return Diagnostic("SOMD312", message, labels, helps)


def wrong_reduction(method: Method, node: cst.CSTNode, wanted: str, operators: list[str], name: str) -> Diagnostic:
    """What is returned under `reduce(wanted)` is `name`, reduced with `operators`, or with none and no accumulator."""
    listed = " and ".join(f"`{op}`" for op in operators)
    why = f"`{name}` is reduced with {listed}" if operators else "not an accumulator of a distributed loop"
    labels = (Label(method.position(node), why, True),)
    helps: tuple[str, ...] = (PARTIAL, f"return the accumulator itself under `reduce({wanted!r})`")
    if len(operators) == 1:
        helps = (f"declare what the loop does, `reduce({operators[0]!r})`", f"or accumulate `{name}` with `{wanted}`")
    return Diagnostic("SOMD307", f"what is returned is not a `{wanted}` reduction of partial results", labels, helps)


def wrong_entries(method: Method, node: cst.Return, count: int) -> Diagnostic:
    labels = (Label(method.position(node), f"not a tuple of {count} entries, written out", True),)
    helps = ("return one entry for each that the annotation names: `return total, largest`",)
    return Diagnostic("SOMD307", f"the annotation of `{method.name}` names {count} results", labels, helps)


def fence_mismatch(method: Method, node: cst.CSTNode, name: str, wanted: str, found: str | None) -> Diagnostic:
    what = f"it is reduced with `{found}`" if found else "no distributed loop in the block accumulates it"
    message = f"`sync({name}, reduce={wanted!r})` does not fit: {what}"
    helps = (f"accumulate `{name}` with the operator that `reduce` names",)
    return Diagnostic("SOMD307", message, (Label(method.position(node), "this fence", True),), helps)


def several_partitions(method: Method, loop: cst.For, names: list[str]) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "this loop", True),)
    helps = (f"give one of them the partition of the other: `like({names[0]!r})`",)
    listed = " and ".join(f"`{name}`" for name in names)
    return Diagnostic("SOMD102", f"the loop indexes arrays with different partitions: {listed}", labels, helps)


def partition_not_usable(method: Method, loop: cst.For, name: str) -> Diagnostic:
    labels = (Label(method.position(loop.iter), "this loop", True),)
    helps = (
        "let the loop run forward, index the array of keys with its variable, leave the keys unchanged, and put "
        "reductions in a loop of their own",
    )
    message = f"the loop relies on the partition of `{name}`, which cannot cut it"
    return Diagnostic("SOMD303", message, labels, helps)


def guarded_short_circuit(method: Method, loop: cst.For, name: str, operator: str) -> Diagnostic:
    write, _ = _uses(name, loop)
    message = f"`{name} {operator} ...` would skip accesses that may lie outside their arrays"
    labels = (Label(method.position(write), "evaluated for every element when distributed", True),)
    return Diagnostic("SOMD304", message, labels, (*SKIPS, *_single(method, loop)))


def narrow_view(method: Method, array: str, needed: str, declared: str) -> Diagnostic:
    labels = (Label(method.position(method.function.name), f"`{array}` is read up to {needed}", True),)
    helps = ("widen the view, or leave it out: it is derived",)
    message = f"the view of `{array}` is declared as {declared}, narrower than what the loops read"
    return Diagnostic("SOMD310", message, labels, helps)


def corner(array: str, position: Position) -> Diagnostic:
    labels = (Label(position, "away from the loop variables along two axes", True),)
    helps = ("declare a `view`, which has corners, or leave it out: it is derived",)
    return Diagnostic("SOMD310", f"the loops read a corner of `{array}`, which its polyview leaves out", labels, helps)


def view_of_other_rank(method: Method, array: str, pairs: int, rank: int) -> Diagnostic:
    count = f"{rank} axis" if rank == 1 else f"{rank} axes"
    labels = (Label(method.position(method.function.name), f"`{array}` has {count} here", True),)
    helps = ("give one (low, high) pair for each axis",)
    message = f"the view of `{array}` has {pairs} pair{'s' if pairs != 1 else ''} for {count}"
    return Diagnostic("SOMD102", message, labels, helps)
