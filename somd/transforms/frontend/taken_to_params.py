"""Attributes of objects, and captured arrays, as parameters.

In: a `Method` as written and the `Frame` of a `Reach` that it is. Out: a `Method` that reads names and elements only:

    def step(self, a, b):                      ->   def step(a, b, self_n, self_alpha):
        for i in range(self.n):                         for i in range(self_n):
            b[i] = self.scaled(a[i])                        b[i] = self_scaled(self_alpha, a[i])

Calls of methods become calls of `Reached` functions, which take what they read of the object before their arguments.
Entries of tuples and lists are values like attributes, `w[1]` is `w_1`; indexed otherwise they are arrays. What is left
of `self`, or of a tuple, is refused: SOMD207 (assigned), SOMD208 (used as a value).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.capture.paths import Step, class_name_of, names_given, text_of
from somd.capture.reach import Call, Constant, Key, Meaning, Origin, Reach, Refused
from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.language.drawing import drawn_dtype, gives_values
from somd.language.markers import markers_of
from somd.transforms.frontend.desugar import plain_loops
from somd.transforms.frontend.drawn_arrays import DrawnArrays, size_of
from somd.transforms.frontend.none_tests import without_none_tests
from somd.transforms.frontend.reached import Reached
from somd.transforms.frontend.short_names import short_names
from somd.transforms.frontend.source_to_method import marked, method_of
from somd.transforms.frontend.taken_paths import path_of
from somd.transforms.frontend.taken_signature import signature_of
from somd.transforms.frontend.text_tests import literal
from somd.transforms.frontend.unsupported import check_supported
from somd.transforms.stages import Method, Param
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.rewriting import Tracked, code_of, with_own_label
from somd.transforms.tree.walking import holds


def reached_method(reached: Reached) -> Method:
    """The method of a function: what it takes are its first parameters, or the last ones of a method that is called.

    Raises:
        SomdCompileError: SOMD207, SOMD208, and those of `method_of`.
    """
    reach, frame = reached.reach, reached.frame
    method = method_of(frame.function)
    meanings = reach.meanings.get(frame, {})
    collector = Collector()
    stored = assigned_names(method.function.body)
    known = {name: meanings.get((name,)) for name, _ in frame.objects}
    empty = {name for name, each in known.items() if isinstance(each, Constant) and isinstance(each.value, str | None)}
    given = {name: each.value for name, each in known.items() if isinstance(each, Constant) and name in empty}
    method = without_none_tests(method, meanings, given, class_name_of(frame.function), collector)
    collector.raise_if_errors()
    meanings = {key: meaning for key, meaning in meanings.items() if key[0] not in empty & stored}
    objects = {name for name, _ in frame.objects}
    needs = reach.needs(frame)
    if not objects and not meanings:
        return method
    rewriter = _Paths(method, reached, meanings, objects - (empty & stored), stored, collector)
    body = cast(cst.BaseSuite, rewriter.without_short_names(method.function.body).visit(rewriter))
    taken = tuple(_param(reach, origin, method, collector) for origin in needs)
    if collector.has_errors:  # a value that is wrong hides no other mistake
        check_supported(plain_loops(method), collector)
    collector.raise_if_errors()
    own = tuple(p for p in method.params if p.name not in objects)
    first = frame != reach.top
    function = method.function.with_changes(body=body, params=signature_of(method, objects, taken, first))
    rewriter.positions[function] = method.position(method.function)
    parts = {part for name in rewriter.made for part in reach.parts(frame, name)}
    names = (method.local_names - objects - set(rewriter.short)) | {p.name for p in taken} | (empty & stored)
    names = (names - set(rewriter.made)) | parts
    spelled = {reach.names[origin]: reach.texts[origin] for origin in reach.values}
    return replace(
        method,
        function=function,
        positions=rewriter.positions,
        params=(*taken, *own) if first else (*own, *taken),
        namespace={k: v for k, v in rewriter.namespace.items() if k not in names},
        local_names=names,
        spelled=rewriter.spelled | {name: text for name, text in spelled.items() if name != text},
        kinds={
            reach.names[origin]: kind.__name__ if (kind := reach.kinds[origin]) is not None else ""
            for origin in needs
            if origin in reach.kinds
        },
    )


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
        meanings: dict[Key, Meaning],
        objects: set[str],
        stored: set[str],
        collector: Collector,
    ) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.reach = reached.reach
        self.frame = reached.frame
        self.meanings = meanings
        self.objects = objects
        self.stored_names = stored
        self.collector = collector
        self.class_name = class_name_of(reached.frame.function)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.callees: dict[Call, str] = {}
        self.reported: set[cst.CSTNode] = set()
        self.short: dict[str, tuple[Step, ...]] = {}
        #: where the array of a tuple or list may stand by its name
        self.as_arrays: set[cst.CSTNode] = set()
        #: arguments that stand for objects
        self.dropped: set[cst.CSTNode] = set()
        #: what stands for functions that are called with objects
        self.called: set[cst.CSTNode] = set()
        self.spelled: dict[str, str] = {}
        #: objects that are made here, by name, and the calls that make them
        self.made = reached.reach.made.get(reached.frame, {})
        self.making: set[cst.CSTNode] = set()
        self.drawn = DrawnArrays(self)

    def without_short_names(self, body: cst.BaseSuite) -> cst.BaseSuite:
        """`body` without the lines that only give a taken value a second name."""
        statements = [s for s in statements_of(body) if isinstance(s, cst.BaseStatement)]
        self.short, lines = short_names(statements, self.taken_path)
        if not lines:
            return body
        made = cst.IndentedBlock([s for s in statements if s not in lines])
        self.positions[made] = self.method.position(body)
        return made

    def taken_path(self, node: cst.CSTNode) -> tuple[Step, ...] | None:
        """The path of an expression that is a taken value."""
        path = self.path(node)
        meaning = None if path is None else self.meanings.get(path)
        return path if isinstance(meaning, tuple) else None

    # --- what is not read ----------------------------------------------------------------------------------------

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.stored(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.stored(node.target, cst.Module([]).code_for_node(node.operator).strip())

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.stored(node.target)

    def visit_For(self, node: cst.For) -> None:
        self.stored(node.target)
        call = node.iter if isinstance(node.iter, cst.Call) else None
        self.as_arrays.update({node.iter} if call is None else {each.value for each in call.args})
        if isinstance(node.target, cst.Tuple):
            self.counted(self.path(node.iter), names_given(len(node.target.elements), rows=True), node.iter)

    def stored(self, target: cst.BaseExpression, operator: str = "") -> None:
        """Refuse an assignment to an attribute, to an object's name, or to an entry of a tuple or list."""
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.stored(element.value)
        message, helps, more = "", "return the value, and assign it in the caller", ""
        text = cst.Module([]).code_for_node(target)
        path = None if isinstance(target, cst.Subscript) else self.path(target)
        if path is not None and path[0] in self.objects:
            message = f"`{text}` is assigned: a method does not change what an object's attributes are"
            more = operator and f"if it is an array, change its elements: `{text}[:] {operator} ...`"
            if isinstance(target, cst.Name):
                message = f"`{text}` is an object, a tuple or a list here, and is given another value"
                helps = "give the other value a name of its own"
        inner: cst.BaseExpression = target
        while isinstance(inner, cst.Subscript) and not message:
            inner = inner.value
            meaning = self.meaning(inner)
            if isinstance(meaning, Refused | Constant) or (isinstance(meaning, tuple) and meaning in self.reach.kinds):
                message = f"`{text}` is assigned: a method does not change what is in tuples and lists"
                helps = "pass an array: `np.array(...)`"
        if message:
            self.reported.add(_root(target))
            label = Label(self.method.position(target), "assigned here", True)
            self.collector.add(Diagnostic("SOMD207", message, (label,), (*filter(None, [more]), helps)))

    # --- paths ---------------------------------------------------------------------------------------------------

    def path(self, node: cst.CSTNode) -> tuple[Step, ...] | None:
        return path_of(node, self.class_name)

    def meaning(self, node: cst.CSTNode) -> Meaning | None:
        path = self.path(node)
        if path is not None and path[0] in self.short:
            path = (*self.short[str(path[0])], *path[1:])
        return None if path is None else self.meanings.get(path)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return self.meaning(node) is None and node not in self.called

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        meaning = self.meaning(original_node)
        if meaning is None:
            return with_own_label(original_node, updated_node)
        return self.placed(self.replacement(meaning, original_node), original_node)

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        self.as_arrays.add(node.value)
        return self.meaning(node) is None

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        meaning = self.meaning(original_node)
        return updated_node if meaning is None else self.placed(self.replacement(meaning, original_node), original_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        meaning = self.meaning(original_node)
        if meaning is not None:
            return self.placed(self.replacement(meaning, original_node), original_node)
        known = original_node.value in self.objects or original_node.value in self.made
        if known and original_node not in self.reported:
            self.refuse_object(original_node)
        return updated_node

    # --- tuples and lists ----------------------------------------------------------------------------------------

    def visit_Assign(self, node: cst.Assign) -> None:
        if len(node.targets) == 1:
            target = node.targets[0].target
            self.may_be_unpacked(target, node.value)
            if isinstance(target, cst.Name) and target.value in self.made:
                self.making.add(node.value)
                self.reported.add(target)

    def may_be_unpacked(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(target, cst.Tuple | cst.List) and isinstance(value, cst.Tuple):
            for each, part in zip(target.elements, value.elements, strict=False):
                self.may_be_unpacked(each.value, part.value)
        elif isinstance(target, cst.Tuple | cst.List) and self.path(value) is not None:
            self.as_arrays.add(value)
            self.reported.add(_root(value))

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        """Names that are given the entries of a sequence: `x, y = w` is `x, y = w_0, w_1`."""
        if len(original_node.targets) != 1:
            return updated_node
        target, value = original_node.targets[0].target, original_node.value
        if value in self.making and isinstance(target, cst.Name):
            parts = [cst.Element(cst.Name(each)) for each in self.reach.parts(self.frame, target.value)]
            return updated_node.with_changes(targets=[cst.AssignTarget(cst.Tuple(parts))])
        made = self.unpacked(target, value, updated_node.value)
        if made is updated_node.value:
            return updated_node
        targets = updated_node.targets
        if isinstance(target, cst.Tuple) and not isinstance(value, cst.Tuple):
            targets = [cst.AssignTarget(self.without_short(target))]
        return updated_node.with_changes(value=made, targets=targets)

    def unpacked(
        self, target: cst.BaseExpression, value: cst.BaseExpression, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        """The value with entries in place of sequences that a target takes apart."""
        if not isinstance(target, cst.Tuple | cst.List):
            return updated
        if isinstance(value, cst.Tuple) and isinstance(updated, cst.Tuple):
            if len(target.elements) != len(value.elements):
                return updated
            parts = zip(target.elements, value.elements, updated.elements, strict=True)
            found = [self.unpacked(each.value, part.value, made.value) for each, part, made in parts]
            if all(one is made.value for one, made in zip(found, updated.elements, strict=True)):
                return updated
            return self.placed(updated.with_changes(elements=[cst.Element(each) for each in found]), value)
        path = self.path(value)
        if path is not None and self.counted(path, names_given(len(target.elements)), value):
            made = self.entries(target, path, value)
            return updated if made is None else self.placed(made, value)
        rows = names_given(len(target.elements), rows=True)
        if not isinstance(value, cst.Subscript) or not self.counted(self.path(value.value), rows, value):
            return updated
        if _plain_index(value) and all(isinstance(each.value, cst.Name) for each in target.elements):
            row = cst.ensure_type(updated, cst.Subscript)
            entries = [cst.Element(_entry(row, k)) for k in range(len(target.elements))]
            return self.placed(cst.Tuple(entries), value)
        return updated

    def without_short(self, target: cst.Tuple) -> cst.Tuple:
        """A target without the names that need no value, and without tuples of nothing else."""
        kept: list[cst.BaseElement] = []
        for each in target.elements:
            inner = self.without_short(each.value) if isinstance(each.value, cst.Tuple) else each.value
            if not self.is_short(inner) and (not isinstance(inner, cst.Tuple) or inner.elements):
                kept.append(each.with_changes(value=inner))
        return target.with_changes(elements=kept)

    def is_short(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Name) and node.value in self.short

    def counted(self, path: tuple[Step, ...] | None, step: str, node: cst.BaseExpression) -> bool:
        """Whether a sequence is known to have so many entries; reported where it has others."""
        meaning = None if path is None else self.meanings.get((*path, step))
        if isinstance(meaning, Refused):
            self.refuse(meaning.why, node, "SOMD402", *meaning.instead)
        return meaning == Constant(True)

    def entries(
        self, target: cst.Tuple | cst.List, path: tuple[Step, ...], node: cst.BaseExpression
    ) -> cst.BaseExpression | None:
        found: list[cst.BaseExpression] = []
        for number, element in enumerate(target.elements):
            if self.is_short(element.value):
                continue
            here = (*path, number)
            meaning = self.meanings.get(here)
            if isinstance(element.value, cst.Tuple | cst.List):
                inner = element.value
                if not self.counted(here, names_given(len(inner.elements)), node):
                    return None
                made = self.entries(inner, here, node)
                if made is None:
                    return None
                found += [made] if cst.ensure_type(made, cst.Tuple).elements else []
            elif meaning is None:
                return None
            else:
                found.append(self.replacement(meaning, node, here))
        return cst.Tuple([cst.Element(each) for each in found], lpar=[cst.LeftParen()], rpar=[cst.RightParen()])

    def refuse(self, message: str, node: cst.CSTNode, code: str, *helps: str) -> None:
        label = Label(self.method.position(node), "read here" if code == "SOMD406" else "here", True)
        self.collector.add(Diagnostic(code, message, (label,), helps))

    def replacement(
        self, meaning: Meaning, node: cst.BaseExpression, path: tuple[Step, ...] | None = None
    ) -> cst.BaseExpression:
        entry = path is not None
        path = path or self.path(node) or ()
        if isinstance(meaning, Refused):
            self.refuse(meaning.why, node, "SOMD406", *meaning.instead)
            return cst.Integer("0")
        if isinstance(meaning, Constant):
            text = text_of(path)
            if isinstance(meaning.value, str):
                return literal(meaning.value)
            if meaning.value is None:
                message = f"`{text}` is None here, and used as a value"
                self.refuse(message, node, "SOMD204", f"test it: `{text} is None`")
            name = self.named(re.sub(r"\W+", "_", text.rstrip("])")), meaning.value)
            if name != text.replace(".", "_"):
                self.spelled[name] = text
            return cst.Name(name)
        if not isinstance(meaning, Call):
            if meaning in self.reach.kinds and (node not in self.as_arrays or entry):
                text = text_of(path)
                helps = f"read its entries: `{text}[k]`, `for x in {text}:`, `x, y = {text}`"
                self.refuse(f"`{text}` is a tuple or a list, and used as a value", node, "SOMD208", helps)
            return cst.Name(self.reach.names[meaning])
        name_ = cst.Name(self.callee(meaning))
        return cst.Call(name_, list(self.hidden(meaning))) if meaning.getter else name_

    def visit_Call(self, node: cst.Call) -> bool:
        if isinstance(node.func, cst.Name) and node.func.value == "super" and "super" not in self.method.local_names:
            label = Label(self.method.position(node), "here", True)
            helps = ("give the base class's method a name in the class: `step0 = Base.step`, then `self.step0(...)`",)
            self.collector.add(Diagnostic("SOMD208", "`super()` is not supported in a SOMD method", (label,), helps))
        if self.meaning(node) is not None:
            return False
        if isinstance(node.func, cst.Name) and node.func.value == "len":
            self.as_arrays.update(each.value for each in node.args)
        meaning, dropped = self.site(node)
        self.dropped.update(dropped)
        if isinstance(meaning, Call):
            self.called.add(node.func)
        return True

    def visit_Arg(self, node: cst.Arg) -> bool:
        return node not in self.dropped

    def site(self, node: cst.Call) -> tuple[Meaning | None, list[cst.Arg]]:
        """What the function of a call means with these arguments, and those of them that stand for objects."""
        path = self.path(node.func)
        if path is None or isinstance(node.func, cst.Call):
            return None, []
        given: dict[Step, tuple[str, cst.Arg]] = {}
        for number, argument in enumerate(node.args):
            inner = self.path(argument.value)
            if isinstance(argument.value, cst.SimpleString):
                inner = (repr(argument.value.evaluated_value),)
            plain = inner is None or (inner[0] in self.stored_names and inner[0] not in self.made)
            key: Step = number if argument.keyword is None else argument.keyword.value
            given[key] = "" if inner is None or plain else text_of(inner), argument
        most, best = -1, (self.meanings.get(path), list[cst.Arg]())
        for steps, meaning in self.meanings.items():
            site = steps[-1]
            if not isinstance(site, tuple) or steps[:-1] != path or {key for key, _ in site} != given.keys():
                continue
            bound = [(key, text) for key, text in site if text]
            if len(bound) > most and all(given[key][0] == text for key, text in bound):
                most, best = len(bound), (meaning, [given[key][1] for key, _ in bound])
        return best

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        folded = self.meaning(original_node)
        if folded is not None:
            return self.placed(self.replacement(folded, original_node), original_node)
        meaning, dropped = self.site(original_node)
        if not isinstance(meaning, Call) or meaning.getter:
            return updated_node
        if gives_values(meaning.frame.function) and original_node not in self.making:
            text = code_of(original_node)
            helps = f"give it a name, once, on a line of its own: `part = {text}`"
            self.refuse(f"`{text}` is an object, and used as a value", original_node, "SOMD208", helps)
            return updated_node
        hidden = list(self.hidden(meaning))
        for argument in hidden:
            self.place(argument, self.method.position(original_node))
        if drawn_dtype(meaning.frame.function) is not None and (size := size_of(updated_node)) is not None:
            return self.drawn.call(original_node, updated_node, Reached(meaning.frame, self.reach), size)
        pairs = zip(original_node.args, updated_node.args, strict=True)
        kept = [made for argument, made in pairs if argument not in dropped]
        func = self.placed(cst.Name(self.callee(meaning)), original_node.func)
        return updated_node.with_changes(func=func, args=[*hidden, *kept])

    def position(self, node: cst.CSTNode) -> Position:
        """Where a node stands in the source."""
        return self.method.position(node)

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
        helps = f"read what is needed from it: `{node.value}.x`, or call its methods: `{node.value}.f(i)`"
        self.refuse(f"`{node.value}` is an object, and used as a value", node, "SOMD208", helps)


def _plain_index(node: cst.Subscript) -> bool:
    """Whether an index may be evaluated for each entry of a row: nothing is called in it."""
    return not holds(node, cst.Call)


def _entry(row: cst.Subscript, number: int) -> cst.Subscript:
    index = cst.SubscriptElement(cst.Index(cst.Integer(str(number))))
    return cst.Subscript(cst.ensure_type(row.deep_clone(), cst.Subscript), [index])


def _root(node: cst.CSTNode) -> cst.CSTNode:
    while isinstance(node, cst.Attribute | cst.Subscript):
        node = node.value
    return node
