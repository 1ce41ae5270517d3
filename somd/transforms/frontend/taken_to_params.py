"""Attributes of objects, and captured arrays, as parameters.

In: a `Method` as written and the `Frame` of a `Reach` that it is. Out: a `Method` that reads names and elements only:

    def step(self, a, b):                      ->   def step(a, b, self_n, self_alpha):
        for i in range(self.n):                         for i in range(self_n):
            b[i] = self.scaled(a[i])                        b[i] = self_scaled(self_alpha, a[i])

Calls of methods become calls of `Reached` functions, which take what they read of the object before their arguments.
What is left of `self` is refused: SOMD207 (assigned), SOMD208 (used as a value).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.markers import markers_of
from somd.paths import class_name_of, mangled
from somd.reach import Call, Constant, Meaning, Origin, Reach
from somd.transforms.frontend.loops import statements_of
from somd.transforms.frontend.reached import Reached
from somd.transforms.frontend.short_names import short_names
from somd.transforms.frontend.source_to_method import marked, method_of
from somd.transforms.frontend.tree import Tracked
from somd.transforms.stages import Method, Param


def reached_method(reached: Reached) -> Method:
    """The method of a function: what it takes are its first parameters, or the last ones of a method that is called.

    Raises:
        SomdCompileError: SOMD207, SOMD208, and those of `method_of`.
    """
    reach, frame = reached.reach, reached.frame
    method = method_of(frame.function)
    meanings = reach.meanings.get(frame, {})
    objects = {name for name, _ in frame.objects}
    needs = reach.needs(frame)
    if not objects and not meanings:
        return method
    collector = Collector()
    rewriter = _Paths(method, reached, meanings, objects, collector)
    body = cast(cst.BaseSuite, rewriter.without_short_names(method.function.body).visit(rewriter))
    taken = tuple(_param(reach, origin, method, collector) for origin in needs)
    collector.raise_if_errors()
    own = tuple(p for p in method.params if p.name not in objects)
    first = frame != reach.top
    function = method.function.with_changes(body=body, params=_signature(method, objects, taken, first))
    rewriter.positions[function] = method.position(method.function)
    names = (method.local_names - objects - set(rewriter.short)) | {p.name for p in taken}
    spelled = {reach.names[origin]: reach.texts[origin] for origin in reach.values}
    return replace(
        method,
        function=function,
        positions=rewriter.positions,
        params=(*taken, *own) if first else (*own, *taken),
        namespace={k: v for k, v in rewriter.namespace.items() if k not in names},
        local_names=names,
        spelled={name: text for name, text in spelled.items() if name != text},
    )


def _signature(method: Method, objects: set[str], taken: tuple[Param, ...], first: bool) -> cst.Parameters:
    made = [cst.Param(cst.Name(p.name)) for p in taken]
    given = method.function.params
    keep = [[p for p in group if p.name.value not in objects] for group in (given.posonly_params, given.params)]
    keyword = [p for p in given.kwonly_params if p.name.value not in objects]
    plain = [*keep[0], *keep[1]]
    if first:
        return given.with_changes(posonly_params=(), params=[*made, *plain], kwonly_params=keyword)
    return given.with_changes(posonly_params=(), params=plain, kwonly_params=[*keyword, *made])


def _param(reach: Reach, origin: Origin, method: Method, collector: Collector) -> Param:
    """The parameter for a value, with the markers that its class gives to the attribute."""
    name, text = reach.names[origin], reach.texts[origin]
    found = markers_of(reach.annotation(origin))[1]
    made = marked(name, f"attribute `{text}`", found, method.position(method.function.name), collector)
    beside = {o[-1]: n for o, n in reach.names.items() if o[:-1] == origin[:-1]}
    return replace(made, like=beside.get(made.like)) if made.like is not None else made


class _Paths(Tracked):
    def __init__(
        self,
        method: Method,
        reached: Reached,
        meanings: dict[tuple[str, ...], Meaning],
        objects: set[str],
        collector: Collector,
    ) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.reach = reached.reach
        self.meanings = meanings
        self.objects = objects
        self.collector = collector
        self.class_name = class_name_of(reached.frame.function)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.callees: dict[Call, str] = {}
        self.reported: set[cst.CSTNode] = set()
        self.short: dict[str, tuple[str, ...]] = {}

    def without_short_names(self, body: cst.BaseSuite) -> cst.BaseSuite:
        """`body` without the lines that only give a taken value a second name."""
        statements = [s for s in statements_of(body) if isinstance(s, cst.BaseStatement)]
        self.short, lines = short_names(statements, self.taken_path)
        if not lines:
            return body
        made = cst.IndentedBlock([s for s in statements if s not in lines])
        self.positions[made] = self.method.position(body)
        return made

    def taken_path(self, node: cst.CSTNode) -> tuple[str, ...] | None:
        """The path of an expression that is a taken value."""
        path = self.path(node)
        meaning = None if path is None else self.meanings.get(path)
        return path if isinstance(meaning, tuple) else None

    # --- what is not read ----------------------------------------------------------------------------------------

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.stored(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.stored(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.stored(node.target)

    def visit_For(self, node: cst.For) -> None:
        self.stored(node.target)

    def stored(self, target: cst.BaseExpression) -> None:
        """Refuse an assignment to an attribute, or to an object's name."""
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.stored(element.value)
        path = self.path(target)
        if path is not None and path[0] in self.objects:
            self.reported.add(_root(target))
            text = cst.Module([]).code_for_node(target)
            label = Label(self.method.position(target), "assigned here", True)
            helps = ("return the value, and assign it in the caller",)
            message = f"`{text}` is assigned: a method does not change what an object's attributes are"
            self.collector.add(Diagnostic("SOMD207", message, (label,), helps))

    # --- paths ---------------------------------------------------------------------------------------------------

    def path(self, node: cst.CSTNode) -> tuple[str, ...] | None:
        attributes: list[str] = []
        while isinstance(node, cst.Attribute):
            attributes.append(mangled(node.attr.value, self.class_name))
            node = node.value
        return (node.value, *reversed(attributes)) if isinstance(node, cst.Name) else None

    def meaning(self, node: cst.CSTNode) -> Meaning | None:
        path = self.path(node)
        return None if path is None else self.meanings.get(path)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return self.meaning(node) is None

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        meaning = self.meaning(original_node)
        if meaning is None:
            return updated_node.with_changes(attr=original_node.attr)
        return self.placed(self.replacement(meaning, original_node), original_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        short = self.short.get(original_node.value)
        meaning = self.meanings.get((original_node.value,) if short is None else short)
        if meaning is not None:
            return self.placed(self.replacement(meaning, original_node), original_node)
        if original_node.value in self.objects and original_node not in self.reported:
            self.refuse_object(original_node)
        return updated_node

    def replacement(self, meaning: Meaning, node: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(meaning, Constant):
            return cst.Name(self.named("_".join(self.path(node) or ()), meaning.value))
        if not isinstance(meaning, Call):
            return cst.Name(self.reach.names[meaning])
        name = cst.Name(self.callee(meaning))
        return cst.Call(name, list(self.hidden(meaning))) if meaning.getter else name

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Name) and node.func.value == "super" and "super" not in self.method.local_names:
            label = Label(self.method.position(node), "here", True)
            helps = ("give the base class's method a name in the class: `step0 = Base.step`, then `self.step0(...)`",)
            self.collector.add(Diagnostic("SOMD208", "`super()` is not supported in a SOMD method", (label,), helps))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        meaning = self.meaning(original_node.func)
        if not isinstance(meaning, Call) or meaning.getter:
            return updated_node
        hidden = list(self.hidden(meaning))
        for argument in hidden:
            self.place(argument, self.method.position(original_node))
        return updated_node.with_changes(args=[*hidden, *updated_node.args]) if hidden else updated_node

    def placed(self, made: cst.BaseExpression, node: cst.CSTNode) -> cst.BaseExpression:
        self.place(made, self.method.position(node))
        return made

    def hidden(self, call: Call) -> Iterator[cst.Arg]:
        for origin in self.reach.needs(call.frame):
            yield cst.Arg(cst.Name(self.reach.names[origin]))

    def callee(self, call: Call) -> str:
        """The name under which a function is called: its own, if that is free."""
        if call not in self.callees:
            name = call.frame.function.__name__
            self.callees[call] = self.named(name if name.isidentifier() else "called", Reached(call.frame, self.reach))
        return self.callees[call]

    def named(self, name: str, value: object) -> str:
        """A name of the namespace for `value`, the wished one if it is free."""
        used = self.method.local_names | set(self.reach.names.values())
        while name in used or not (name not in self.namespace or self.same(self.namespace[name], value)):
            name += "_"
        self.namespace[name] = value
        return name

    def same(self, one: object, other: object) -> bool:
        replaced = isinstance(other, Reached) and getattr(one, "__wrapped__", one) is other.frame.function
        return replaced or (type(one) is type(other) and (one is other or repr(one) == repr(other)))

    def refuse_object(self, node: cst.Name) -> None:
        label = Label(self.method.position(node), "here", True)
        helps = (f"read what is needed from it: `{node.value}.x`, or call its methods: `{node.value}.f(i)`",)
        message = f"`{node.value}` is an object, and used as a value"
        self.collector.add(Diagnostic("SOMD208", message, (label,), helps))


def _root(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node
