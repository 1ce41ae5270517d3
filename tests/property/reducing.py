"""A program that is not as it should be, made small, and written as a file to be run by itself."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from somd.compiling.one_at_a_time import many_calls
from tests.property.calls import Call, calls
from tests.property.examining import Examined, examine_program
from tests.property.mixed import Mixed, mixed

RUN = """

def tell(arguments, target, workers):
    made = {{}}
    own = [made.setdefault(id(each), each.copy() if hasattr(each, "copy") else each) for each in arguments]
    with np.errstate(all="ignore"), somd_.use(target=target, workers=workers, small_work=0):
        try:
            return {method}(*own), own
        except Exception as error:
            return repr(error), own


if __name__ == "__main__":
    import somd as somd_

    print("plain Python:", *tell(ARGUMENTS, "sequential", 1), sep="\\n    ")
    for count in (1, 2, 3, 7):
        print(f"{target}, {{count}} workers:", *tell(ARGUMENTS, "{target}", count), sep="\\n    ")
"""


def write(folder: Path, made: Mixed, target: str, found: Examined) -> Path:
    """Write a program to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{target}_{made.number}.py"
    file.write_text(_file(made, target, found), encoding="utf-8")
    return file


def reduced(number: int, target: str, seconds: float = 240.0) -> tuple[Examined, Mixed]:
    """A smaller text with the same kind of verdict, and what was found with it; within some seconds."""
    made = mixed(number)
    found = examine_program(made, target)
    if found.verdict not in ("differs", "failed"):
        return found, made
    only = _what(found.details[0])
    best, end, tried = made, time.monotonic() + seconds, {made.text}
    again = True
    while again:
        again = False
        for candidate in _candidates(best):
            if time.monotonic() > end:
                return found, best
            if candidate.text in tried:
                continue
            tried.add(candidate.text)
            result = _examined(candidate, target, only)
            if result is not None and result.verdict == found.verdict and _kind(result) == _kind(found):
                best, found, again = candidate, result, True
                break
    return found, best


def _candidates(made: Mixed) -> Iterator[Mixed]:
    """Without parameters that nothing mentions; then with smaller texts."""
    tree = ast.parse(made.text)
    method = next(each for each in tree.body if getattr(each, "name", "") == made.name)
    assert isinstance(method, ast.FunctionDef)
    used = {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}
    method.args.args = [each for each in method.args.args if each.arg in used]
    kept = {each.arg for each in method.args.args}
    yield replace(made, text=_text(tree), parameters=tuple(p for p in made.parameters if p.name in kept))
    for text in _smaller(made.text):
        yield replace(made, text=text)


def _examined(made: Mixed, target: str, only: str) -> Examined | None:
    try:
        return examine_program(made, target, only)
    except Exception:  # a variant that is no program any more
        return None


def _what(detail: str) -> str:
    return detail.split(",")[0] if detail.startswith("size") and "other" not in detail else detail.split(": ")[0]


def _kind(found: Examined) -> str:
    """What a difference is about, without values: an argument, the result, an exception."""
    detail = found.details[0]
    last = detail.strip().split("\n")[-1] if found.verdict == "failed" else detail
    return re.sub(r"[0-9.]+", "", " ".join(last.split(": ")[-2 if found.verdict == "differs" else 0 :][:1]))[:60]


def _smaller(text: str) -> Iterator[str]:
    """Texts with a statement less, a block instead of what is around it, a part instead of an expression; large steps
    first."""
    tree = ast.parse(text)
    edits: list[tuple[int, int, str, Any]] = []
    for place, node in enumerate(ast.walk(tree)):
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and not isinstance(node, ast.ClassDef):
                for k, statement in enumerate(statements):
                    if isinstance(statement, ast.Import | ast.ImportFrom) or getattr(statement, "decorator_list", None):
                        continue
                    edits.append((_size(statement), place, name, k))
                    if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
                        edits.append((2, place, f"{name} inside", k))
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            for part in _parts(value):
                edits.append((_size(value) - _size(part), place, name, part))
    for _, place, name, which in sorted(edits, key=lambda edit: -edit[0]):
        copy = ast.parse(text)
        node = next(each for k, each in enumerate(ast.walk(copy)) if k == place)
        if isinstance(which, ast.AST):
            setattr(node, name, which)
        else:
            statements = getattr(node, name.split()[0])
            statements[which : which + 1] = statements[which].body if "inside" in name else []
            if not statements and name == "body":
                statements.append(ast.Pass())
        yield _text(copy)


def _text(tree: ast.Module) -> str:
    with many_calls():  # as many levels as a sum has terms
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _parts(value: Any) -> Iterator[ast.AST]:
    """Expressions that could stand in the place of `value`."""
    if isinstance(value, ast.BinOp):
        yield from (value.left, value.right)
    elif isinstance(value, ast.UnaryOp):
        yield value.operand
    elif isinstance(value, ast.IfExp):
        yield from (value.body, value.orelse)
    elif isinstance(value, ast.BoolOp):
        yield from value.values
    elif isinstance(value, ast.Call) and value.args and getattr(value.func, "id", "") not in ("range", "len"):
        yield value.args[0]
    elif (
        isinstance(value, ast.Subscript) and isinstance(value.ctx, ast.Load) and not isinstance(value.slice, ast.Tuple)
    ):
        yield ast.Constant(1)
    elif isinstance(value, ast.Tuple) and isinstance(value.ctx, ast.Load):
        yield from value.elts


def _file(made: Mixed, target: str, found: Examined) -> str:
    given = calls(made)
    detail = found.details[0] if found.details else found.verdict
    call = next((each for each in given if detail.startswith(each.what)), given[0])
    comment = "".join(
        f"# {line}\n" for line in f"Program {made.number}, {target}: {found.verdict}. {detail}".split("\n")[:40]
    )
    comment += "# Python's ints wrap at 64 bits there (docs/limits.md).\n"
    return comment + made.text + _arguments(made, call) + RUN.format(method=made.name, target=target)


def _arguments(made: Mixed, call: Call) -> str:
    lines = ["", "", "nan, inf = np.nan, np.inf"]
    names: dict[int, str] = {}
    for p, value in zip(made.parameters, call.arguments, strict=True):
        if isinstance(value, np.ndarray) and id(value) not in names:
            names[id(value)] = f"{p.name}_given"
            lines.append(f"{p.name}_given = {_array(value, p.layout)}")
    given = [names.get(id(value)) or _number(value) for value in call.arguments]
    lines.append(f"ARGUMENTS = ({', '.join(given)},)")
    return "\n".join(lines) + "\n"


def _number(value: Any) -> str:
    return f"np.int64({value})" if isinstance(value, np.int64) else repr(value)


def _array(value: np.ndarray, layout: str) -> str:
    if value.dtype == np.bool_:
        return f"np.array({value.view(np.uint8).tolist()}, np.uint8).view(np.bool_)"
    text = f"np.array({value.tolist()}, np.{value.dtype}).reshape({value.shape})"
    turned = ", ".join(["::-1"] * value.ndim)
    return {"": text, "fortran": f"np.asfortranarray({text})", "reversed": f"{text}[{turned}].copy()[{turned}]",
            "spaced": f"np.repeat({text}, 2, axis=-1)[..., ::2]"}[layout]  # fmt: skip
