"""Whether a program is really independent, by running it: every element access of every iteration is noted.

The loops of the program run as written, at many sizes and data; a candidate loop is independent when in no run two of
its iterations met in an element that one of them writes. An access outside its array gives anything, and the run goes
on: the analysis, too, looks at all iterations, not only at those before an IndexError.
"""

from __future__ import annotations

import builtins
import operator
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import FunctionType
from typing import Any

import libcst as cst
import numpy as np

from somd.diagnostics.model import Collector
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.plan.candidates import is_candidate
from somd.transforms.plan.context import Context, kinds_from_source
from tests.property.programs import Program
from tests.property.running import arguments_like, random_arguments

TRIALS = 60
#: runs at the sizes of an example, each with other data
FILLS = 12
LARGEST = 45


def independent(program: Program, function: FunctionType, examples: Sequence[Mapping[str, int]] = ()) -> bool:
    """Whether the rule of the language finds distributed loops in the program that are independent in every run.

    `examples` are values of parameters for which somebody claims a dependence (by isl's names): they are tried first.
    """
    method = method_of(function)
    collector = Collector()
    context = Context(method, kinds_from_source(method), collector)
    loops = _Loops(context)
    tree = method.function.visit(loops)
    assert isinstance(tree, cst.FunctionDef)
    plain = tree.with_changes(
        decorators=(), returns=None, params=cst.Parameters([cst.Param(cst.Name(n)) for n in method.param_names])
    )
    watch = _Watch()
    names = {**method.namespace, "__loop": watch.loop, "len": _length, "np": _Allocator(watch)}
    exec(compile(cst.Module([plain]).code, function.__code__.co_filename, "exec"), names)
    for given in _trials(program, examples):
        wrapped = {k: _Array(watch, v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
        with np.errstate(all="ignore"), suppress(OverflowError):  # what an element cannot hold ends the trial
            names[method.name](**wrapped)
        if not all(loops.distributable(root, watch.dependent) for root in loops.roots):
            return False
    return True


def _trials(program: Program, examples: Sequence[Mapping[str, int]]) -> Iterator[dict[str, Any]]:
    for example in examples:
        if all(abs(value) <= LARGEST for name, value in example.items() if re.fullmatch("s_.*|v_[mnk]", name)):
            for fill in range(FILLS):
                yield arguments_like(program, example, fill)
    for trial in range(TRIALS):
        yield random_arguments(program, trial)


def _length(value: Any) -> int:
    return value.shape[0] if isinstance(value, _Array) else builtins.len(value)


class _Loops(cst.CSTTransformer):
    """Numbers the loops, marks candidates, and sends the iterations of each past the watch."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.stack: list[int] = []
        self.roots: list[int] = []
        self.inside: dict[int, list[int]] = defaultdict(list)
        self.candidates: set[int] = set()
        self.count = 0

    def visit_For(self, node: cst.For) -> None:
        self.count += 1
        (self.inside[self.stack[-1]] if self.stack else self.roots).append(self.count)
        if is_candidate(node, self.context):
            self.candidates.add(self.count)
        self.stack.append(self.count)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        number = cst.Integer(str(self.stack.pop()))
        return updated_node.with_changes(
            iter=cst.Call(cst.Name("__loop"), [cst.Arg(number), cst.Arg(updated_node.iter)])
        )

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.BaseStatement:
        return cst.If(cst.Name("True"), updated_node.body)

    def distributable(self, loop: int, dependent: set[int]) -> bool:
        """Whether `loop` is taken apart as the language says, without an error."""
        if loop in self.candidates and loop not in dependent:
            return True
        if loop in self.candidates and not self._holds_candidate(loop):
            return False
        return all(self.distributable(inner, dependent) for inner in self.inside[loop])

    def _holds_candidate(self, loop: int) -> bool:
        return any(inner in self.candidates or self._holds_candidate(inner) for inner in self.inside[loop])


class _Watch:
    """The loops that run now, as (loop, instance, iteration), and the loops seen to depend."""

    def __init__(self) -> None:
        self.stack: list[tuple[int, int, int]] = []
        self.instances = 0
        self.pick = np.random.default_rng(6)
        self.dependent: set[int] = set()
        #: by (loop, instance): element -> (iterations that read it, iterations that wrote it)
        self.seen: dict[tuple[int, int], dict[Any, tuple[set[int], set[int]]]] = {}

    def loop(self, number: int, values: range) -> Iterator[int]:
        self.instances += 1
        key = (number, self.instances)
        self.seen[key] = {}
        depth = len(self.stack)
        try:
            for value in values:
                self.stack[depth:] = [(*key, value)]
                yield value
        finally:
            del self.stack[depth:]
            if self._depends(self.seen.pop(key)):
                self.dependent.add(number)

    @staticmethod
    def _depends(elements: dict[Any, tuple[set[int], set[int]]]) -> bool:
        return any(wrote and len(wrote | read) > 1 for read, wrote in elements.values())

    def note(self, element: Any, write: bool) -> None:
        for number, instance, value in self.stack:
            entry = self.seen.get((number, instance))
            if entry is not None:
                entry.setdefault(element, (set(), set()))[write].add(value)


class _Array:
    """An array whose accesses are noted."""

    def __init__(self, watch: _Watch, values: np.ndarray[Any, Any]) -> None:
        self.watch = watch
        self.values = values
        self.shape = values.shape

    def _place(self, index: Any) -> tuple[int, ...] | None:
        found = []
        for each, length in zip(index if isinstance(index, tuple) else (index,), self.shape, strict=True):
            value = operator.index(each)
            if not -length <= value < length:
                return None
            found.append(value % length)
        return tuple(found)

    def __getitem__(self, index: Any) -> Any:
        where = self._place(index)
        if where is None:
            return self.values.dtype.type(self.watch.pick.integers(-4, 9))
        self.watch.note((id(self.values), where), False)
        return self.values[where]

    def __setitem__(self, index: Any, value: Any) -> None:
        where = self._place(index)
        if where is not None:
            self.watch.note((id(self.values), where), True)
            self.values[where] = value


class _Allocator:
    """NumPy, with allocations that are watched too; they hold anything, since a dependence must not hang on zeros."""

    def __init__(self, watch: _Watch) -> None:
        self.watch = watch
        self.int64 = np.int64

    def zeros_like(self, array: _Array) -> _Array:
        return self._filled(array.shape, array.values.dtype)

    def copy(self, array: _Array) -> _Array:
        return _Array(self.watch, np.copy(array.values))

    def zeros(self, shape: int, dtype: Any) -> _Array:
        return self._filled((max(0, shape),), dtype)

    def _filled(self, shape: tuple[int, ...], dtype: Any) -> _Array:
        return _Array(self.watch, self.watch.pick.integers(-4, 9, shape).astype(dtype))
