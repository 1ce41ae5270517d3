"""What a user calls something means nothing to generated code, even where it is a name of that code's own.

Each program of the golden files is written with other names: those that appear in the code that is generated for it, in
what the runtime offers, and in the sets that are made of its loops. What is generated then must be the same up to the
names: what was local, global, imported or Python's own must be that still, and two things must not be one.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import keyword
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count, cycle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.arguments.signatures import describe
from somd.errors import SomdError
from somd.transforms import pipeline
from somd.transforms.access import Affine
from somd.transforms.analysis.sets import Sets
from somd.transforms.reserved import reserved
from somd.transforms.signature_text import parse_type
from tests.differential import harness

GOLDEN = Path(__file__).parents[1] / "golden"
IDENTIFIER = re.compile(r"[^\W\d]\w*")


class Renamed(ast.NodeTransformer):
    """Other names for the functions of a program and for what they hold."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        node.value = self.names.get(node.value, node.value) if isinstance(node.value, str) else node.value
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        self.generic_visit(node)
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        return node


class Normal:
    """A generated module with names that say what things are: `local 3`, `global 0`, `somd...:trips`, `builtin len`."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.known = {name: f"builtin {name}" for name in vars(builtins)}
        self.tables: dict[str, Any] = {}
        number = count()
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom | ast.Import):
                room = getattr(node, "module", "")
                self.known |= {alias.asname or alias.name: f"{room}:{alias.name}" for alias in node.names}
            elif isinstance(node, ast.FunctionDef):
                self.known[node.name] = f"global {next(number)}"
            elif isinstance(node, ast.Assign):
                (target,) = node.targets
                assert isinstance(target, ast.Name)
                # only code in the module looks at SITES
                table = "SITES" if target.id.startswith("SITES") else target.id
                self.known[target.id] = f"table {table}" if table.isupper() else f"global {next(number)}"

    def functions(self) -> list[str]:
        return [self.function(node) for node in self.tree.body if isinstance(node, ast.FunctionDef)]

    def function(self, node: ast.FunctionDef) -> str:
        number = count()
        found: dict[str, str] = {}
        for each in ast.walk(node):
            name = each.arg if isinstance(each, ast.arg) else ""
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                name = each.id
            if name and name not in found:
                found[name] = f"local {next(number)}"
        meaning = {**self.known, **found}
        renamed = Renamed(meaning).visit(ast.parse(ast.unparse(node)).body[0])
        for each in ast.walk(renamed):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                each.value = ""
        return ast.dump(renamed)


def kernels_of(text: str) -> list[list[str]]:
    """The tokens of each function of the kernels in a module."""
    (found,) = re.findall(r'^KERNELS = """\\\n(.*?)^"""', text, re.DOTALL | re.MULTILINE)
    plain = re.sub(r"//.*|^#line.*", "", found, flags=re.MULTILINE)
    return [re.findall(r"[^\W\d]\w*|\S", part) for part in re.split(r"^}", plain, flags=re.MULTILINE)]


def frequencies(tokens: list[str]) -> list[int]:
    """How often each token stands in a function: another number if two names become one. Not where they stand, for
    declarations are sorted by name."""
    return sorted(Counter(tokens).values())


def loaded(folder: Path, text: str) -> ModuleType:
    """The module of a text, in a file of one name, for all to have the same places."""
    path = folder / "input.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("renamed_input", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # not by the loader, which takes a text of the same length and second for the one before
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    return module


def generated(module: ModuleType, name: str, arguments: list[str]) -> dict[str, str]:
    """The text for each target."""
    function = getattr(module, name).sequential
    types = {p: parse_type(text) for p, text in zip(function.__code__.co_varnames, arguments, strict=False)}
    compiled = pipeline.compile_for(function, types, {})
    found = {"multicore": pipeline.module_text(compiled, "multicore")}
    try:
        found["opencl"] = pipeline.module_text(compiled, "opencl")
    except SomdError:
        found["opencl"] = ""
    return found


def rounds(own: Collection[str], wanted: Iterable[str]) -> Iterator[dict[str, str]]:
    """The own names with wanted ones in their place, in the same order, until all have been had."""
    names = cycle(wanted)
    for _ in range(-(-len(wanted) // len(own))):
        yield dict(zip(sorted(own), sorted(next(names) for _ in own), strict=True))


@pytest.mark.parametrize("case", ["sparse_matvec", "roots"])
def test_other_names(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ast.parse((GOLDEN / case / "input.py").read_text(encoding="utf-8"))
    text = ast.unparse(tree)
    module = loaded(tmp_path, text)
    arguments = [describe(value) for value in module.cases()[0]]
    sets = set[str]()
    make = Sets.make

    def noted(self: Sets, variables: Sequence[str], formulas: Iterable[Affine]) -> Any:
        formulas = tuple(formulas)
        sets.update(variables, *(formula.names for formula in formulas))
        return make(self, variables, formulas)

    monkeypatch.setattr(Sets, "make", noted)
    expected = generated(module, case, arguments)
    monkeypatch.undo()
    texts = " ".join(expected.values())
    wanted = {*IDENTIFIER.findall(texts), *(name.removeprefix("v_") for name in sets)}
    wanted |= reserved() if case == "sparse_matvec" else set()
    functions = {node.name: getattr(module, node.name) for node in tree.body if isinstance(node, ast.FunctionDef)}
    functions = {name: getattr(f, "sequential", f) for name, f in functions.items() if name not in ("cases", "failing")}
    own = {*functions, *(name for f in functions.values() for name in f.__code__.co_varnames)}
    meant = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {"range", "len", "min", "max"}
    wanted = {n for n in wanted - own - meant if not keyword.iskeyword(n) and not n.startswith("_")}
    for names in rounds(own, sorted(wanted)):
        other = ast.unparse(Renamed(names).visit(ast.parse(text)))
        found = generated(loaded(tmp_path, other), names[case], arguments)
        where = f"{names}\n"
        for target in ("multicore", "opencl"):
            if expected[target]:
                assert Normal(found[target]).functions() == Normal(expected[target]).functions(), where + found[target]
        if expected["opencl"]:
            counts = [[frequencies(each) for each in kernels_of(texts["opencl"])] for texts in (found, expected)]
            assert counts[0] == counts[1], where + found["opencl"]


FAR, LANES, SITES, _somd_np = 3, 2.5, 4, 2


def trips(exactly, FAR):  # type: ignore[no-untyped-def]
    note = exactly % 7
    if note > FAR:
        return note // 2
    return note * FAR + SITES


def _somd_index_of(x, LANES):  # type: ignore[no-untyped-def]
    prange = math.sqrt(x + LANES)
    return prange + 1.0


@somd.somd
def RAISES(a: dist[np.ndarray], keys: dist[np.ndarray], kept: float):  # type: ignore[no-untyped-def]
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = _somd_index_of(a[i], LANES) + trips(keys[i], FAR) + _somd_np
        if kept < 0:
            raise ValueError(i, kept)
    return out


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_names_of_functions_and_constants(target: str) -> None:
    if harness.unavailable(target):
        pytest.skip(str(harness.unavailable(target)))
    for kept in (1.0, -1.0):
        harness.check(RAISES, (np.arange(100.0), np.arange(100), kept), target, workers=(1, 3))


def test_a_variable_named_like_that_of_another_iteration() -> None:
    """`i__2` is none: iterations that meet are found."""

    def meeting(a: dist[np.ndarray]) -> None:
        for i in range(100):
            for i__2 in range(200, 300):
                a[i__2 - i] = 2.0 + i

    (phase,) = pipeline.check(meeting).phases()  # type: ignore[arg-type]
    assert [dim.variable for dim in phase.nest.dims] == ["i__2"]
