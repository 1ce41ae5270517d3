"""What a pass makes of a method, printed: the examples in the docstrings of passes call `before_and_after`."""

from __future__ import annotations

import functools
import itertools
import linecache
import textwrap
from collections.abc import Iterator
from functools import partial
from types import FunctionType

import numpy as np

from somd import dist
from somd.transforms.loops.printer import program_text
from somd.transforms.loops.program import Assign, Program, Store
from somd.transforms.loops.ranges import whole
from somd.transforms.loops.verify import verify
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import Pass
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.signature_text import parse_type

_numbers = itertools.count(1)


@functools.lru_cache(maxsize=256)
def program_of_text(text: str, **types: str) -> Program:
    """The program of the last function in `text`, for arguments of these types; what is `A` there is distributed. Tests
    of one pass, with and without bugs, ask for the same ones again."""
    text = textwrap.dedent(text).lstrip("\n")
    file = f"<shown {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, object] = {"np": np, "A": dist[np.ndarray]}
    exec(compile(text, file, "exec"), names)
    [*_, function] = [each for each in names.values() if isinstance(each, FunctionType)]
    return loop_program(compile_for(function, {name: parse_type(each) for name, each in types.items()}, {}))


def before_and_after(step: Pass, text: str, values: bool = False, master: bool = False, **types: str) -> None:
    """Print what an iteration of the last region does before and after a pass; with `values`, what its values are; with
    `master`, the whole program."""
    before = program_of_text(text, **types)
    after = step(before)
    verify(after)
    shown = _master if master else partial(_iteration, values=values)
    print("\n".join([*shown(before), "->", *shown(after)]))


def _master(program: Program) -> Iterator[str]:
    yield from textwrap.dedent("\n".join(program_text(program).splitlines()[1:])).splitlines()


def _iteration(program: Program, values: bool) -> Iterator[str]:
    if values:
        for node in statements_in(program.body):
            if isinstance(node, Assign | Store):
                name = node.target.name if isinstance(node, Assign) else f"{node.element.array}[]"
                found = node.value.range
                known = found is not None and found != whole(node.value.type)
                yield f"{name} in {found}" if known else f"{name}: {node.value.type}"
        return
    lines = program_text(program).splitlines()
    [*_, start] = [k for k, line in enumerate(lines) if line.lstrip().startswith("free ")]
    depth = len(lines[start]) - len(lines[start].lstrip())
    inside = itertools.takewhile(lambda line: len(line) - len(line.lstrip()) > depth, lines[start + 1 :])
    tables = [k for k, line in enumerate(lines[:start]) if line.lstrip().startswith("table ")]
    yield from textwrap.dedent("\n".join(lines[tables[0] : start] if tables else [])).splitlines()
    yield from textwrap.dedent("\n".join(inside)).splitlines()
