"""What is special in OpenCL C that is generated, and in the masters that divide it among devices.

In: the text of a program's kernels, or the tree of the module around it. Out: features, as texts: for a kernel, the
kinds of its parameters, which kinds of statements stand in which and with which operators, casts, and the functions
that it calls. The bodies of those are looked at where they are made of a program's own text, and their names left out;
of the others one name has one body for each type, which is part of the name. Types of one byte and of two are one: C
computes with both as `int`. So are, for a master that divides work, the functions that tell how many work-items do it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_OPERATOR = re.compile(r"<<=|>>=|[-+*/%&|^]=|\+\+|--|<<|>>|&&|\|\||[<>=!]=|[-+*/%&|^<>=!?~]")
_NUMBER = r"(?:u?(?:char|short|int|long)|float|double|size_t)\d*"
_CAST = re.compile(rf"\(({_NUMBER})\)")
_TYPE = re.compile(rf"(?:(?:__global|__local|volatile|const) )*{_NUMBER}(?: \*)*(?=\W|\w)")
_SET = re.compile(r"[^=<>!]*? (<<|>>|[-+*/%&|^])?= ")
_WORD = re.compile(r"(else if|if|else|for|while|do|return|continue|break)\b")
_BODY = re.compile(r"^__kernel [^\n]*?\bvoid (\w+)\((.*?)\)\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_CALLED = re.compile(r"\b([a-z_]\w*)\(")
_FUNCTION = re.compile(r"^static [^\n(]*?\b(?!__attribute__)(\w+)\([^\n]*\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"_table_\d+$")
_NARROW = re.compile(r"(?<![a-z])(u?)short(?![a-z])")


def of_kernels(text: str) -> Iterator[str]:
    """The features of a program's kernels."""
    text = _NARROW.sub(r"\1char", text)
    own = {name for name, body in _FUNCTION.findall(text) if "#line" in body or _TABLE.search(name)}
    code = re.sub(r"//.*$|^#line.*\n", "", text, flags=re.MULTILINE)
    kernels = _BODY.findall(code)
    names = {name for name, _, _ in kernels}
    yield from (f"{name}()" for name in _CALLED.findall(code) if name not in names | own)
    for name, body in _FUNCTION.findall(code):
        if name in own:
            yield from _of_body(body, "table" if _TABLE.search(name) else "function")
    for _, parameters, body in kernels:
        yield from (f"takes {' '.join(each.split()[:-1])}" for each in parameters.split(", "))
        yield from _of_body(body)


def _of_body(body: str, where: str = "kernel") -> Iterator[str]:
    """Features of lines, each of which has one statement or the head of one."""
    around = [where]
    for line in map(str.strip, body.splitlines()):
        if line.startswith("#"):
            yield line
            continue
        if line.startswith("}"):
            around.pop()
            line = line[1:].lstrip()
        if not line:
            continue
        kind = _kind(line)
        yield f"{around[-1]} > {kind}"
        yield from (f"{kind}: {operator}" for operator in _OPERATOR.findall(_CAST.sub("", line)))
        yield from (f"cast to {dtype}" for dtype in _CAST.findall(line))
        if re.search(r"\[[^\]]*\[", line):
            yield "index of an index"
        if line.endswith("{"):
            around.append(kind)


def _kind(line: str) -> str:
    """The kind of a statement, with the type of what it declares, or the operator by which it sets."""
    if word := _WORD.match(line):
        return word[1]
    if line == "{":
        return "block"
    if declared := _TYPE.match(line):
        return f"declare {declared[0]}"
    if changed := _SET.match(line):
        return f"{changed[1] or ''}="
    return "call"


class _Nameless(ast.NodeTransformer):
    """Puts one name for all that is not of a part's own: numbers, names, sums of such, conditions."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return node if node.id in ("first", "last") else ast.Name("_")

    def visit_Constant(self, node: ast.Constant) -> ast.Name:
        return ast.Name("_")

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        return ast.Name("_")

    def visit_Subscript(self, node: ast.Subscript) -> ast.Name:
        return ast.Name("_")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        made = ast.UnaryOp(node.op, self.visit(node.operand))
        return made.operand if _is_other(made.operand) else made

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if _is_other(left) and _is_other(right):
            return ast.Name("_")
        if _is_other(right) and isinstance(left, ast.BinOp) and _is_other(left.right) and _adds(left, node):
            return left
        return ast.BinOp(left, ast.Add() if _is_other(right) and _adds(node) else node.op, right)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        body, other = self.visit(node.body), self.visit(node.orelse)
        return ast.Name("_") if _is_other(body) and _is_other(other) else ast.IfExp(ast.Name("_"), body, other)


def _is_other(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "_"


def _adds(*nodes: ast.BinOp) -> bool:
    return all(isinstance(node.op, ast.Add | ast.Sub) for node in nodes)


_BLOCKS = (ast.For, ast.While, ast.If, ast.FunctionDef)


def of_division(module: ast.Module) -> Iterator[str]:
    """What a master has to do with several devices: what it takes from the runtime, what it calls of devices and arrays
    in which kind of block, and which rows a part reads and writes of the arrays that are divided."""
    for node in ast.walk(module):
        match node:
            case ast.ImportFrom():
                yield from (alias.name for alias in node.names if node.module != "numpy")
            case ast.Call(ast.Attribute(attr="split"), [_, _, ast.Lambda(body=ast.Tuple(taken))]):
                yield from (f"takes {ast.unparse(_Nameless().visit(each))}" for each in taken)
        if isinstance(node, _BLOCKS):
            yield from (f"{type(node).__name__} > {name}" for name in _called_in(node))


def _called_in(node: ast.AST) -> Iterator[str]:
    """The methods that are called in a block, inner blocks left out."""
    for inner in ast.iter_child_nodes(node):
        match inner:
            case ast.Call(ast.Attribute(value, name)) if ast.unparse(value) not in ("np", "math", "cmath"):
                yield "lanes" if name.endswith("lanes") else name
        if not isinstance(inner, _BLOCKS):
            yield from _called_in(inner)
