"""Source text of a function -> `Method`: parsed by libcst, markers resolved, names looked up.

In: a Python function object (its source must be on disk or in linecache). Out: a `Method` with positions in the
user's file. It does not judge the statements: `unsupported` and the analyses do.
"""

from __future__ import annotations

import ast
import inspect
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, get_args

import libcst as cst

from somd.capture.annotations import annotation_of, namespace_of
from somd.capture.indentation import at_the_margin
from somd.capture.source_text import NoSource, source_of
from somd.compiling.one_at_a_time import LEVELS, too_deep
from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.diagnostics.render import position_of_line
from somd.errors import SomdCompileError
from somd.language import markers, partitioners
from somd.language.combining import Combine, by_function, declared_reduction, distributed_positions
from somd.transforms.frontend.desugar import plain_loops
from somd.transforms.frontend.named_slices import without_named_slices
from somd.transforms.frontend.nested import Nested, without_nested
from somd.transforms.frontend.own_names import check_own_names, with_own_names
from somd.transforms.frontend.raises import plain_raises
from somd.transforms.frontend.unsupported import check_supported
from somd.transforms.stages import Method, Param
from somd.transforms.tree.names import assigned_names, evaluate, names_read
from somd.transforms.tree.parsing import parsed
from somd.transforms.tree.rewriting import Tracked
from somd.transforms.tree.walking import nodes_of


def method_of(function: FunctionType) -> Method:
    """The method of `function`.

    Raises:
        SomdCompileError: no source text (SOMD104), or markers that do not fit (SOMD101 to SOMD103).
    """
    collector = Collector()
    file, tree, standing = _parse(function)
    namespace = namespace_of(function)
    tree, nested = without_nested(without_named_slices(tree, namespace, standing), standing, collector)
    names = frozenset(assigned_names(tree.body) | {p.name.value for p in _all_params(tree)})
    namespace = with_nested(nested, function, standing, namespace, names)
    tree, positions = with_own_names(tree, namespace, names, standing)
    check_own_names(tree, namespace, names, positions, collector)
    params = tuple(_param(p, function, tree, positions, collector) for p in _all_params(tree))
    shared, marked = _local_markers(tree, namespace, names, positions, collector)
    places = {p.name.value: positions[p.annotation.annotation if p.annotation else p.name] for p in _all_params(tree)}
    places.update((name, place) for name, (_, place) in marked.items())
    marked_locals = tuple(param for param, _ in marked.values())
    _check_likes((*params, *marked_locals), tree, places, collector)
    reduction, combine = _reduction(function, tree, positions, collector)
    method = Method(
        name=function.__name__,
        qualname=function.__qualname__,
        module=function.__module__,
        file=file,
        function=tree,
        positions=positions,
        params=params,
        reduction=reduction,
        shared=shared,
        namespace=namespace,
        local_names=names,
        marked_locals=marked_locals,
        combine=combine,
    )
    method = plain_raises(method, function, collector)
    if collector.has_errors:  # a marker that is wrong hides no other mistake
        check_supported(plain_loops(method), collector)
    collector.raise_if_errors()
    return method


def with_nested(
    nested: Mapping[str, cst.FunctionDef],
    function: FunctionType,
    positions: Mapping[cst.CSTNode, Position],
    namespace: dict[str, object],
    names: frozenset[str],
) -> dict[str, object]:
    """`namespace` with the functions that are defined in `function`, whose own names are `names`."""
    if not nested:
        return namespace
    made: dict[str, object] = {name: value for name, value in namespace.items() if name not in names}
    functions = {name: Nested(tree, function, positions, made, names) for name, tree in nested.items()}
    made.update(functions)
    return {**namespace, **functions}


def nested_method(nested: Nested) -> Method:
    """The method of a function that is defined in another one.

    Raises:
        SomdCompileError: SOMD2xx.
    """
    collector, namespace = Collector(), dict(nested.namespace)
    places = dict(nested.positions)
    tree, inner = without_nested(nested.tree, places, collector)
    params = _all_params(tree)
    names = frozenset(assigned_names(tree.body) | {p.name.value for p in params})
    for name in names:
        namespace.pop(name, None)
    namespace = with_nested(inner, nested.outer, places, namespace, names)
    tree, positions = with_own_names(tree, namespace, names, places)
    check_own_names(tree, namespace, names, positions, collector)
    made = Method(
        name=nested.__name__,
        qualname=f"{nested.outer.__qualname__}.{nested.__name__}",
        module=nested.outer.__module__,
        file=nested.outer.__code__.co_filename,
        function=tree.with_changes(returns=None),
        positions=positions,
        params=tuple(Param(p.name.value, False) for p in params),
        reduction=None,
        shared=frozenset(),
        namespace=namespace,
        local_names=names,
    )
    made = replace(made, positions={**positions, made.function: positions[tree]})
    made = plain_raises(made, nested.outer, collector)
    collector.raise_if_errors()
    return made


def _parse(function: FunctionType) -> tuple[str, cst.FunctionDef, dict[cst.CSTNode, Position]]:
    code = function.__code__
    wrapped = getattr(function, "__wrapped__", None)
    if isinstance(wrapped, FunctionType):
        raise _hidden(wrapped)
    try:
        text = source_of(function)
    except NoSource as why:
        raise _unknown_source(function, why.changed) from None
    if text.tree is not None and _levels(text.tree) > LEVELS:
        raise too_deep(function)
    lines, first_line = text.lines, text.first_line
    source = at_the_margin(lines)
    indent = len(lines[0]) - len(lines[0].lstrip())
    module, ranges = parsed(source)
    shift = max(first_line, 1) - 1
    positions = {
        node: Position(
            code.co_filename, r.start.line + shift, r.start.column + indent, r.end.line + shift, r.end.column + indent
        )
        for node, r in ranges.items()
    }
    tree = module.body[0]
    if not isinstance(tree, cst.FunctionDef) or tree.asynchronous is not None:
        place = Position(code.co_filename, first_line, indent, first_line, indent + 1)
        label, helps = "not a `def`", ("write it with `def`",)
        if isinstance(tree, cst.FunctionDef) and tree.asynchronous is not None:
            place, label = positions[tree.asynchronous], "a call of it would only make a coroutine"
            helps = ("take `async` off: a call returns when the work is done",)
        message = "`@somd` marks, and methods call, functions written with `def`"
        raise SomdCompileError((Diagnostic("SOMD101", message, (Label(place, label, True),), helps),))
    if not source.isascii():
        tree = cst.ensure_type(tree.visit(_Normalised(positions)), cst.FunctionDef)
    return code.co_filename, tree, positions


def _levels(tree: ast.AST) -> int:
    """How many nodes of a tree stand in each other."""
    most, waiting = 0, [(tree, 1)]
    while waiting:
        node, level = waiting.pop()
        most = max(most, level)
        waiting += ((child, level + 1) for child in ast.iter_child_nodes(node))
    return most


class _Normalised(Tracked):
    """Names as Python reads them: spellings that Unicode holds for the same, as of a ligature, are one name."""

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=unicodedata.normalize("NFKC", updated_node.value))


def _unknown_source(function: FunctionType, changed: bool) -> SomdCompileError:
    """The refusal of a function without a text, or whose file holds another one by now."""
    file, line = function.__code__.co_filename, max(function.__code__.co_firstlineno, 1)
    message = f"the source text of `{function.__name__}` is not available"
    helps: tuple[str, ...] = (
        "define the function in a file; a text passed to exec() or typed at a plain prompt has no source",
    )
    if changed:
        message = f"`{function.__name__}` was not compiled from the text that its file has now"
        helps = (
            "the file has been edited since it was imported, or is another one: import it again",
            "a tool that rewrites code as it is imported hides the function from the compiler: leave this file out",
        )
    label = Label(Position(file, line, 0, line, 1), "defined here", True)
    return SomdCompileError((Diagnostic("SOMD104", message, (label,), helps),))


def _hidden(function: FunctionType) -> SomdCompileError:
    """The refusal of a function that another decorator has put into one of its own."""
    where = position_of_line(function.__code__.co_filename, function.__code__.co_firstlineno)
    message = (
        f"another decorator stands between `{function.__name__}` and the compiler, which does not see what it does"
    )
    helps = ("put `@somd` next to the function, under other decorators",)
    return SomdCompileError((Diagnostic("SOMD101", message, (Label(where, "decorated here", True),), helps),))


def _all_params(tree: cst.FunctionDef) -> tuple[cst.Param, ...]:
    p = tree.params
    return (*p.posonly_params, *p.params, *p.kwonly_params)


def _param(
    param: cst.Param,
    function: FunctionType,
    tree: cst.FunctionDef,
    positions: Mapping[cst.CSTNode, Position],
    collector: Collector,
) -> Param:
    name = param.name.value
    _, found = markers.markers_of(annotation_of(function, name))
    where = positions[param.annotation.annotation] if param.annotation else positions[param.name]
    return marked(name, f"parameter `{name}`", found, where, collector)


def marked(name: str, what: str, found: Sequence[markers.Marker], where: Position, collector: Collector) -> Param:
    """A parameter, or a local, with its markers."""
    made = Param(name, any(isinstance(marker, markers.Dist) for marker in found))
    for marker in found:
        if isinstance(marker, markers.Dim):
            made = replace(made, dims=marker.axes)
        elif isinstance(marker, markers.View | markers.Polyview):
            made = replace(made, view=marker.pairs, polyview=isinstance(marker, markers.Polyview))
        elif isinstance(marker, markers.Partition):
            partitioner = _partitioner_name(marker.partitioner)
            made = replace(made, partitioner=partitioner, made_by=partitioner and repr(marker.partitioner))
        elif isinstance(marker, markers.Like):
            made = replace(made, like=marker.name)
        elif isinstance(marker, markers.Mistake):
            _report_mistake(marker, where, collector)
        elif not isinstance(marker, markers.Dist | markers.Shared):
            message = f"`{_marker_name(marker)}` cannot stand on {what}"
            collector.add(Diagnostic("SOMD101", message, (Label(where, "marker of another place", True),)))
    if not made.distributed and made != Param(name, False):
        message = f"the markers on `{name}` need `dist` beside them"
        helps = (f"write `{name}: Annotated[np.ndarray, dist, ...]`",)
        collector.add(Diagnostic("SOMD101", message, (Label(where, "no `dist` here", True),), helps))
    return made


def _report_mistake(marker: markers.Mistake, where: Position, collector: Collector) -> None:
    collector.add(Diagnostic("SOMD102", marker.message, (Label(where, "in this annotation", True),), marker.helps))


def _check_likes(
    marked: Sequence[Param], tree: cst.FunctionDef, places: Mapping[str, Position], collector: Collector
) -> None:
    """`like` names a distributed value."""
    distributed = {p.name for p in marked if p.distributed}
    known = distributed | {p.name.value for p in _all_params(tree)}
    for param in marked:
        if param.like is not None and param.like not in known:
            message = f"`like({param.like!r})` names no distributed value"
            helps = ("name a parameter, or a local annotated with `dist`",)
            label = Label(places[param.name], "this marker", True)
            collector.add(Diagnostic("SOMD102", message, (label,), helps))


def _partitioner_name(partitioner: Any) -> str | None:
    """The name of a partitioner's class or function; None for the block ones, which the compiler does itself.

    One of the program's own may be called as ours are, and promises nothing.
    """
    name = str(getattr(partitioner, "__name__", type(partitioner).__name__))
    if type(partitioner).__module__ == partitioners.__name__:
        return None if name in ("Block", "BlockBlock") else name
    return f"own {name}" if hasattr(partitioners, name) else name


def _marker_name(marker: object) -> str:
    return type(marker).__name__.lower()


def _local_markers(
    tree: cst.FunctionDef,
    namespace: Mapping[str, object],
    names: frozenset[str],
    positions: Mapping[cst.CSTNode, Position],
    collector: Collector,
) -> tuple[frozenset[str], dict[str, tuple[Param, Position]]]:
    """The shared locals, and the distributed ones with their places."""
    shared: set[str] = set()
    distributed: dict[str, tuple[Param, Position]] = {}
    for node in nodes_of(tree.body, cst.AnnAssign):
        if not isinstance(node.target, cst.Name):
            continue
        name = node.target.value
        found = markers.markers_of(evaluate(node.annotation.annotation, namespace, names))[1]
        if any(isinstance(marker, markers.Shared) for marker in found):
            shared.add(name)
        rest = [marker for marker in found if not isinstance(marker, markers.Shared)]
        if rest:
            where = positions[node.annotation]
            distributed[name] = marked(name, f"the local `{name}`", rest, where, collector), where
    return frozenset(shared), distributed


def _reduction(
    function: FunctionType, tree: cst.FunctionDef, positions: Mapping[cst.CSTNode, Position], collector: Collector
) -> tuple[str | tuple[str | None, ...] | None, Combine | None]:
    """The operators that the return annotation declares, or else what combines the partial results."""
    annotation = annotation_of(function, "return")
    declared = declared_reduction(annotation)
    for mistake in _mistakes(annotation):
        _report_mistake(mistake, positions[tree.returns.annotation if tree.returns else tree.name], collector)
    if declared is None:
        if annotation is inspect.Parameter.empty and tree.returns is not None:
            _check_unknown(function, tree.returns.annotation, positions, collector)
        return None, None
    where = positions[tree.returns.annotation] if tree.returns else positions[tree.name]
    entries = declared if isinstance(declared, tuple) else (declared,)
    if not by_function(declared):
        texts = tuple(None if each is None else str(each.operation) for each in entries)
        return (texts if isinstance(declared, tuple) else texts[0]), None
    marked = tuple(each for each in entries if each is not None and not each.by_operator)
    own = any(each.operation == "self" for each in marked)
    if len(marked) != len(entries) or (own and isinstance(declared, tuple)):
        collector.add(_mixed_tuple(own, where))
    elif own:
        _check_self(function, where, collector)
    return None, Combine(function, marked if isinstance(declared, tuple) else marked[0])


def _mistakes(annotation: object) -> Iterator[markers.Mistake]:
    """The wrong markers on a result, or on an entry of a tuple of results."""
    plain, found = markers.markers_of(annotation)
    yield from (marker for marker in found if isinstance(marker, markers.Mistake))
    for entry in get_args(plain):
        yield from _mistakes(entry)


def _check_unknown(
    function: FunctionType,
    annotation: cst.BaseExpression,
    positions: Mapping[cst.CSTNode, Position],
    collector: Collector,
) -> None:
    """A `reduce` in an annotation that cannot be evaluated would be lost without a word."""
    names = namespace_of(function)
    if not any(names.get(name) is markers.reduce for name in names_read(annotation)):
        return
    message = f"what reduces the result of `{function.__name__}` is not known where its annotation is evaluated"
    helps = ("under `from __future__ import annotations` the function must be defined at module level",)
    collector.add(Diagnostic("SOMD204", message, (Label(positions[annotation], "this annotation", True),), helps))


def _mixed_tuple(own: bool, where: Position) -> Diagnostic:
    message = "the entries of a tuple are reduced by operators, or all of them by functions"
    helps: tuple[str, ...] = (
        "give every entry a function: `sum`, `min` and `max` stand for operators",
        "or reduce the whole: `Annotated[tuple[...], reduce(merge)]`, where `merge` takes a list of tuples",
    )
    if own:
        message = 'one entry of a tuple cannot be reduced by `"self"`: the method returns all of them'
        helps = helps[1:]
    return Diagnostic("SOMD102", message, (Label(where, "this annotation", True),), helps)


def _check_self(function: FunctionType, where: Position, collector: Collector) -> None:
    """A method that reduces itself takes its partial results in place of its one distributed parameter."""
    count = len(distributed_positions(function))
    if count == 1:
        return
    message = (
        f"`{function.__name__}` cannot reduce its own partial results: it has {count or 'no'} distributed parameters"
    )
    helps = ("`self` needs exactly one; with several, reduce by an operator or by a function of the list of partials",)
    collector.add(Diagnostic("SOMD106", message, (Label(where, "this annotation", True),), helps))
