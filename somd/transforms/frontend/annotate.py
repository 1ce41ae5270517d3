"""A module's text with `@somd` and `dist` put on functions that have neither; everything else stays to the letter.

In: the tree of a module, and for each function (by qualified name) the parameters to distribute. Out: the tree with
markers, and the imports that they need: as `somd.dist` where the module has `import somd`, or a `dist` of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.transforms.tree.walking import Reader

#: annotations of arrays; a parameter annotated otherwise is none
_ARRAYS = ("ndarray", "NDArray", "ArrayLike", "Any")


@dataclass(frozen=True)
class Plain:
    """A function without markers that has loops: its arrays are the parameters that loops index or run over, those
    among them that it writes, and why it cannot be marked ("" if it can)."""

    qualname: str
    node: cst.FunctionDef
    arrays: tuple[str, ...]
    written: tuple[str, ...]
    why_not: str = ""


def plain_functions(module: cst.Module) -> Iterator[Plain]:
    """The functions and methods of a module, functions inside functions aside, that have a loop."""
    yield from _in_block(module.body, ())


def _in_block(body: object, around: tuple[str, ...]) -> Iterator[Plain]:
    for node in cast("tuple[cst.CSTNode, ...]", body):
        if isinstance(node, cst.ClassDef):
            yield from _in_block(node.body.body, (*around, node.name.value))
        elif isinstance(node, cst.FunctionDef):
            uses = _Uses()
            node.body.visit(uses)
            if uses.loops:
                yield _plain(node, ".".join((*around, node.name.value)), uses)


def _plain(node: cst.FunctionDef, qualname: str, uses: _Uses) -> Plain:
    params = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    names = [p.name.value for p in params if _may_be_array(p)]
    arrays = tuple(name for name in names if name in uses.arrays)
    why = ""
    if node.asynchronous is not None:
        why = "it is asynchronous"
    elif node.decorators:
        first = cst.Module([]).code_for_node(node.decorators[0].decorator)
        compiled = re.match(r"(numba\.|nb\.)?(njit|jit)\b", first)
        why = f"take `@{first}` off first, and write `range` for `prange`" if compiled else "it has a decorator already"
    elif not arrays:
        why = "its loops index no parameter that may be an array"
    return Plain(qualname, node, arrays, tuple(name for name in arrays if name in uses.written), why)


def _may_be_array(param: cst.Param) -> bool:
    if param.annotation is None:
        return True
    text = cst.Module([]).code_for_node(param.annotation.annotation)
    return any(name in text for name in _ARRAYS)


class _Uses(Reader):
    """The names that are indexed, or run over by loops, and those that are assigned by index."""

    def __init__(self) -> None:
        super().__init__()
        self.loops = 0
        self.arrays: set[str] = set()
        self.written: set[str] = set()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_For(self, node: cst.For) -> None:
        self.loops += 1
        inside = node.iter.args if isinstance(node.iter, cst.Call) else ()
        for value in (node.iter, *(argument.value for argument in inside)):
            if isinstance(value, cst.Name):
                self.arrays.add(value.value)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Name):
            self.arrays.add(node.value.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._write(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._write(node.target)

    def _write(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name):
            self.written.add(target.value.value)


def annotated(module: cst.Module, wanted: Mapping[str, tuple[str, ...]]) -> cst.Module:
    """The module with markers on the functions `wanted`."""
    names = _Names(module)
    made = cst.ensure_type(module.visit(_Marking(wanted, names)), cst.Module)
    return names.with_imports(made)


class _Names:
    """What `somd`, `dist` and `np.ndarray` are called in a module, and the imports that are missing for that."""

    def __init__(self, module: cst.Module) -> None:
        bound = _bound(module)
        self.missing: list[str] = []
        self.somd, self.dist = bound.get("somd:somd", ""), bound.get("somd:dist", "")
        if "somd" in bound:
            self.somd, self.dist = f"{bound['somd']}.somd", f"{bound['somd']}.dist"
        elif {"somd", "dist"} & set(bound.get("defined", "").split()) - {self.somd, self.dist}:
            self.missing.append("import somd")
            self.somd, self.dist = "somd.somd", "somd.dist"
        elif not (self.somd and self.dist):
            needed = [name for name, known in (("dist", self.dist), ("somd", self.somd)) if not known]
            self.missing.append(f"from somd import {', '.join(needed)}")
            self.somd, self.dist = self.somd or "somd", self.dist or "dist"
        self.ndarray = f"{bound['numpy']}.ndarray" if "numpy" in bound else bound.get("numpy:ndarray", "")

    def array(self) -> str:
        """The annotation of an array that has none."""
        if not self.ndarray:
            self.missing.insert(0, "import numpy as np")
            self.ndarray = "np.ndarray"
        return self.ndarray

    def with_imports(self, module: cst.Module) -> cst.Module:
        """The module with the missing imports, behind those at its top."""
        if not self.missing:
            return module
        body = list(module.body)
        place = 0
        for k, node in enumerate(body):
            if isinstance(node, cst.SimpleStatementLine) and _opens(node, k):
                place = k + 1
            else:
                break
        lines = [cst.parse_statement(text) for text in self.missing]
        made = [*body[:place], *lines, *body[place:]]
        if place == 0 and body:
            made[0] = lines[0]
        return module.with_changes(body=made)


def _opens(node: cst.SimpleStatementLine, number: int) -> bool:
    """Whether a statement is the docstring or one of the imports at the top."""
    first = node.body[0] if node.body else None
    text = isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString) and number == 0
    return text or isinstance(first, cst.Import | cst.ImportFrom)


def _bound(module: cst.Module) -> dict[str, str]:
    """What the module's own statements import of somd and numpy, and under `defined` other names that they bind."""
    found: dict[str, str] = {}
    defined: list[str] = []
    for node in module.body:
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            defined.append(node.name.value)
        for small in node.body if isinstance(node, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Import):
                for alias in small.names:
                    name = alias.evaluated_name
                    if name in ("somd", "numpy"):
                        found[name] = alias.evaluated_alias or name
            elif isinstance(small, cst.ImportFrom) and isinstance(small.module, cst.Name) and not small.relative:
                for alias in small.names if not isinstance(small.names, cst.ImportStar) else ():
                    found[f"{small.module.value}:{alias.evaluated_name}"] = (
                        alias.evaluated_alias or alias.evaluated_name
                    )
            elif isinstance(small, cst.Assign):
                defined += [t.target.value for t in small.targets if isinstance(t.target, cst.Name)]
    return {**found, "defined": " ".join(defined)}


class _Marking(cst.CSTTransformer):
    def __init__(self, wanted: Mapping[str, tuple[str, ...]], names: _Names) -> None:
        super().__init__()
        self.wanted = wanted
        self.names = names
        self.around: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.around.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self.around.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.around.append(node.name.value)
        return ".".join(self.around) not in self.wanted

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        arrays = self.wanted.get(".".join(self.around))
        self.around.pop()
        if arrays is None or updated_node.decorators:
            return updated_node
        given = updated_node.params
        params = given.with_changes(
            posonly_params=[self.param(p, arrays) for p in given.posonly_params],
            params=[self.param(p, arrays) for p in given.params],
            kwonly_params=[self.param(p, arrays) for p in given.kwonly_params],
        )
        decorator = cst.Decorator(cst.parse_expression(self.names.somd))
        return updated_node.with_changes(params=params, decorators=[decorator])

    def param(self, param: cst.Param, arrays: tuple[str, ...]) -> cst.Param:
        if param.name.value not in arrays:
            return param
        code = cst.Module([]).code_for_node
        inner = self.names.array() if param.annotation is None else code(param.annotation.annotation)
        made = cst.Annotation(cst.parse_expression(f"{self.names.dist}[{inner}]"))
        if param.default is not None and param.annotation is None:
            param = param.with_changes(equal=cst.AssignEqual())
        return param.with_changes(annotation=made)
