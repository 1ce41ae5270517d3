"""What is special in generated code, so that some programs stand for others where compiling takes seconds.

In: a program of the corpus and a kind of run. Out: the features of the module that is generated for its first case:
what it takes from the runtime and from NumPy, which statements stand in which, operators; of kernels the same, where
those are compiled; where there are several devices, what a master has to do with those, and how it divides arrays.
Files in `chosen` name for each feature the programs that stand for it, as many as `STANDING` says where there are so
many; one file is for programs with relaxed blocks on multicore, and what these have beside the corpus. There `golden`
stands for what a method in `tests/golden` has, which is run anyway. A program that stands for none is run all the same
if it has a feature that no file knows. Then all programs with this feature are run, and beyond some such programs tests
fail (`note_unknown`), so choose anew after a change that brings features (minutes):

    python -m tests.differential.features
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import symtable
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from somd.arguments.signatures import describe_all
from somd.calls.bound import BoundMethod
from somd.calls.convention import calling_of
from somd.capture.paths import parameters_of
from somd.capture.reaching import reach
from somd.elementary.functions import FUNCTIONS, POWERS
from somd.errors import SomdError
from somd.language.operators import JOINED, OPERATORS
from somd.settings.targets import TargetLacks
from somd.transforms import pipeline
from somd.transforms.emit.c_guards import DEFINITIONS
from somd.transforms.signature_text import parse_type
from tests.differential.kernel_features import of_division, of_kernels

CHOSEN = Path(__file__).parent / "chosen"
#: how many programs stand for a feature, by kind
STANDING = {"multicore": 1, "opencl": 1, "several": 1, "relaxed": 1}
#: the target of each kind, and of which the corpus is chosen
TARGETS = {"multicore": "multicore", "opencl": "opencl", "several": "opencl", "relaxed": "multicore"}
OF_CORPUS = ("multicore", "opencl", "several")
#: the kind whose programs stand for features of another kind, too
BESIDE = {"relaxed": "multicore"}
#: as many programs of a kind may be run for features that no program stands for
MOST_UNKNOWN = 12
#: a program costs what its text does, on devices that of its kernels, and beside it as much as so much text
OF_CALL = 700
#: a name that multicore takes from the runtime costs as much as so much text: most are functions that Numba compiles
#: (with both numbers the costs explain 0.57 and 0.72 of the variance of what programs took)
OF_NAME = 3000
#: the Python that the files are chosen with; others bring features of their own, for which all programs are run
CHOSEN_WITH = (3, 11)
#: of what is compiled at length, the golden modules stand for their features, which are compiled and run anyway, and
#: `tests/elementary/test_bits.py` for the elementary functions
OF_GOLDEN = ("multicore",)
_ELEMENTARY = {f".{each.__name__}" for each in (*(each.function for each in FUNCTIONS), *POWERS.values())}
GOLDEN = Path(__file__).parents[1] / "golden"
_DEFINED = (
    "LANES",
    "BLOCKS",
    "ROWS",
    "TILE",
    "WIDE_TILE",
    "GROUP",
    "RUNS",
    "TERMS",
    "FAULT_ROWS",
    "FAULT_ROW",
    *DEFINITIONS,
)
#: a type of double precision, or a constant without the suffix of `float`
_DOUBLE = re.compile(r"\b(convert_)?double2?\b|(?<![\w.])(\d+\.\d*(e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])")
#: whose values a scan combines
_OF_SCANS = re.compile(r"\b\w*?_?(?=(partials|totals))|\[\w+ - 1\]|(?<=, )\w+(?=, )")
_BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef)
#: names of the runtime that one template makes: functions that combine copies of arrays, in a tree or in order, whose
#: operators `reduce_...` stands for; and quick extremes
_NAMES_ALIKE = {
    f"combine_{name}": "combine in a tree" if each.ordered else "combine"
    for each in (*OPERATORS.values(), JOINED)
    for name in (each.word, each.short)
}
_NAMES_ALIKE |= {f"quick_{name}": "quick extreme" for name in ("maximum", "minimum", "largest", "smallest")}
_NAMES_ALIKE |= {f"place_of_{name}": "place of extreme" for name in ("largest", "smallest")}


def features(method: Any, args: tuple[Any, ...], kind: str) -> frozenset[str]:
    """The features of what is generated for a call; none where the target lacks something for it."""
    text = text_or_none(method, args, kind)
    return frozenset() if text is None else features_of(text, kind)


def text_or_none(method: Any, args: tuple[Any, ...], kind: str) -> str | None:
    """What is generated for a call; None where the target lacks something for it."""
    try:
        return text_of(method, args, TARGETS[kind])
    except (SomdError, TargetLacks):
        return None


def golden(kind: str) -> dict[str, str]:
    """The golden modules for the target of a kind, by the names under which they stand for features."""
    files = {path.name: path / f"{TARGETS[kind]}.py" for path in GOLDEN.iterdir()} if kind in OF_GOLDEN else {}
    return {f"golden.{name}": file.read_text(encoding="utf-8") for name, file in files.items() if file.exists()}


def features_of(text: str, kind: str) -> frozenset[str]:
    """The features of a module, whose names and heads are checked."""
    module = ast.parse(text)
    assert not unknown_names(text), f"{text}\nuses {unknown_names(text)}, which nothing sets"
    assert not wrong_in_head(text), f"{text}\nis wrong in the head of the kernels about {wrong_in_head(text)}"
    if kind == "several":
        return frozenset(of_division(module))
    found = set(_features(module)) - (_ELEMENTARY if kind in OF_GOLDEN else set())
    if kind == "opencl":
        found |= {f"C {feature}" for feature in of_kernels(kernels_of(module))}
    return frozenset(found)


def kernels_of(module: ast.Module) -> str:
    """The text of the kernels in a module for OpenCL."""
    for node in module.body:
        match node:
            case ast.Assign([ast.Name("KERNELS")], ast.Constant(str(text))):
                return text
    raise AssertionError("no kernels")


def cost_of(text: str, kind: str) -> int:
    """How much compiling a module takes, in characters of text that take as long."""
    module = ast.parse(text)
    if TARGETS[kind] == "opencl":
        return OF_CALL + len(kernels_of(module))
    return len(text) + OF_NAME * sum(len(node.names) for node in module.body if isinstance(node, ast.ImportFrom))


def unknown_names(text: str) -> set[str]:
    """The names that functions of a module read, and nothing sets."""
    module = symtable.symtable(text, "generated", "exec")
    known = {*vars(builtins), *(symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned())}
    known |= {symbol.get_name() for symbol in module.get_symbols() if symbol.is_imported() or symbol.is_namespace()}
    tables, read = [*module.get_children()], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        read |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return read - known


def wrong_in_head(text: str) -> set[str]:
    """What the head of OpenCL kernels defines or switches on though they do not mention it, or the other way round."""
    head, _, kernels = text.partition('KERNELS = """')[2].partition("\n\n")
    code = re.sub(r"^#.*$|//.*$", "", kernels, flags=re.MULTILINE)
    given = {name for name in _DEFINED if re.search(rf"^#define {name}\b", head, re.MULTILINE)}
    used = {name for name in _DEFINED if re.search(rf"\b{name}\b", code)}
    doubles = {"DOUBLES"} if _DOUBLE.search(code) else set()
    said = {word for word, sign in (("DOUBLES", "DOUBLES = True"), ("pragma", "cl_khr_fp64")) if sign in text}
    return (given ^ used) | (said ^ (doubles | {"pragma"} if doubles else set()))


def text_of(method: Any, args: tuple[Any, ...], target: str) -> str:
    """The module that is generated for a call of `method` with `args`, not compiled."""
    method, args = unbound(method, args)
    function, values = method.somd_function, method.arguments(args, {})
    names = parameters_of(function)
    found = reach(function, dict(zip(names, values, strict=True)))
    calling = calling_of(found, found.structure(), names)
    texts = describe_all(calling.values(values, found), calling.texts)
    types = {name: parse_type(text) for name, text in zip(calling.names, texts, strict=True)}
    compiled = pipeline.compile_for(function, types, {}, found)
    return pipeline.module_text(compiled, target)


def unbound(method: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A method that was read from an object, and the arguments with which the method itself is called."""
    return (method.__func__, (method.__self__, *args)) if isinstance(method, BoundMethod) else (method, args)


def _features(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            yield from (_NAMES_ALIKE.get(alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}"
        elif isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.AugAssign):
            yield type(node.op).__name__
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("KERNELS", "KERNEL_NAMES"):
            continue  # looked at by `of_kernels`
        elif isinstance(node, ast.Assign) and "_totals" in ast.unparse(node.value):
            yield f"scan: {_OF_SCANS.sub('', ast.unparse(node.value))}"
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("faults["):
            yield "faults forgotten"
        elif isinstance(node, ast.While) and "__found ==" in ast.unparse(node.test):
            yield "search"
        elif isinstance(node, ast.While) and "__at <" in ast.unparse(node.test):
            yield "chain"
        if isinstance(node, _BLOCKS):
            yield from (f"{type(node).__name__} > {type(inner).__name__}" for inner in ast.iter_child_nodes(node))


@functools.cache
def known(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The programs that stand for each feature."""
    lines = (CHOSEN / f"{kind}.txt").read_text().splitlines()
    return {feature: tuple(names.split()) for feature, _, names in (line.rpartition(": ") for line in lines)}


def stood_for(name: str, method: Any, args: tuple[Any, ...], kind: str) -> str | None:
    """The module of a program of which other programs, which are run, have all features; None if they have not."""
    if any(name in names for names in known(kind).values()):
        return None
    text = text_of(method, args, TARGETS[kind])
    return text if not unknown(text, kind) else None


def unknown(text: str, kind: str) -> frozenset[str]:
    """The features of a module for which no program stands."""
    return features_of(text, kind) - known(kind).keys() - (known(BESIDE[kind]).keys() if kind in BESIDE else set())


def note_unknown(name: str, method: Any, args: tuple[Any, ...], kind: str, folder: Path) -> None:
    """Note, in a folder of all processes of a run, that a program is run for features that no program stands for.

    Raises:
        AssertionError: there are too many.
    """
    found = unknown(text_of(method, args, TARGETS[kind]), kind) if sys.version_info[:2] == CHOSEN_WITH else None
    if not found:
        return
    folder = folder / f"unknown_{kind}"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(f"  {feature}\n" for feature in sorted(found)))
    noted = sorted(folder.iterdir())
    told = "".join(f"{each.name}:\n{each.read_text()}" for each in noted)
    assert len(noted) <= MOST_UNKNOWN, f"choose anew: no program stands for features of these:\n{told}"


def choose(found: Mapping[str, frozenset[str]], standing: int, costs: Mapping[str, int]) -> dict[str, list[str]]:
    """Programs that stand for each feature: the cheapest of the choices that are made with less or more weight on what
    few programs have."""
    chosen = [_choose(found, standing, costs, rarity) for rarity in (0, 1, 2, 4)]
    return min(chosen, key=lambda each: sum(costs.get(name, 0) for name in {*chain(*each.values())}))


def _choose(
    found: Mapping[str, frozenset[str]], standing: int, costs: Mapping[str, int], rarity: int
) -> dict[str, list[str]]:
    """Those first that are run anyway, having no costs, then those that bring most of what is still missing for what
    they cost, rare features counting more; without those, in the end, whose features the others have."""
    counts = Counter(feature for name, each in found.items() if name in costs for feature in each)
    wanted = {feature: min(standing, count) for feature, count in counts.items()}
    missing, left, picked = dict(wanted), dict(found), list[str]()
    free = sorted(found.keys() - costs.keys(), reverse=True)

    def worth(name: str) -> float:
        return sum(counts[feature] ** -rarity for feature in left[name] if missing[feature] > 0) / costs[name]

    while any(missing.values()):
        best = free.pop() if free else max(sorted(left), key=worth)
        picked.append(best)
        for feature in left.pop(best) & missing.keys():
            missing[feature] = max(missing[feature] - 1, 0)
    for name in sorted(costs.keys() & set(picked), key=lambda each: (-costs[each], each)):
        others = Counter(feature for each in picked if each != name for feature in found[each])
        if all(others[feature] >= wanted[feature] for feature in found[name]):
            picked.remove(name)
    return {
        feature: [name for name in picked if feature in found[name]][: wanted[feature]] for feature in sorted(wanted)
    }


def main() -> None:
    """Choose, and write the files."""
    from tests.differential.relaxed_programs import RELAXED
    from tests.language.test_corpus import PROGRAMS

    CHOSEN.mkdir(exist_ok=True)
    corpus = [(p.name, p.method, cases[0]) for p in PROGRAMS if (cases := list(p.cases()))]
    relaxed = [(method.__name__, method, cases()[0]) for method, cases in RELAXED]
    made: dict[tuple[str, str], str | None] = {}
    for kind, standing in STANDING.items():
        programs = relaxed if kind == "relaxed" else corpus
        for name, *call in programs:
            if (name, TARGETS[kind]) not in made:
                made[name, TARGETS[kind]] = text_or_none(*call, kind)
        texts = {name: text for name, *_ in programs if (text := made[name, TARGETS[kind]]) is not None}
        costs = {name: cost_of(text, kind) for name, text in texts.items()}
        beside = known(BESIDE[kind]).keys() if kind in BESIDE else set()
        found = {name: features_of(text, kind) - beside for name, text in (texts | golden(kind)).items()}
        chosen = choose(found, standing, costs)
        lines = [f"{feature}: {' '.join(names)}\n" for feature, names in chosen.items()]
        (CHOSEN / f"{kind}.txt").write_text("".join(lines))
        standing_now = {name for names in chosen.values() for name in names} & texts.keys()
        print(f"{kind}: {len(standing_now)} of {len(programs)} programs")


if __name__ == "__main__":
    main()
