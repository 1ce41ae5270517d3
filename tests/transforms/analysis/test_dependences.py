"""Dependences of one loop against brute force: what is found is real, what is not found is not there."""

from collections.abc import Iterator
from itertools import product

import libcst as cst
from hypothesis import given, settings

from somd.diagnostics.model import Collector
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.dependences import Conflict, find_conflict
from somd.transforms.analysis.sets import Sets
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.plan.context import Context, kinds_from_source
from somd.transforms.tree.loops import statements_of
from tests.transforms.analysis.loops import GUARDS, INDEXES, RANGES, code_of, function_of, value, values
from tests.usual import ALL

SIZES = (range(-1, 8), range(-3, 5), range(9))


def conflict_of(loop: str, guard: str, write: str, read: str) -> Conflict | None:
    guarded = f"        if {guard}:\n            a[{write}] = a[{read}] + 1\n"
    method = method_of(function_of(f"def f(a: dist[np.ndarray], n: int, k: int):\n    for i in {loop}:\n{guarded}"))
    collector = Collector()
    context = Context(method, kinds_from_source(method), collector)
    node = statements_of(method.function.body)[0]
    assert isinstance(node, cst.For)
    return find_conflict(accesses_of((node,), context.scope), node, Aliases(), Sets(context.facts))


def meetings(loop: str, guard: str, write: str, read: str, n: int, k: int, length: int) -> Iterator[tuple[int, int]]:
    """Pairs of iterations that meet in an element that the first of them writes."""
    test = code_of(guard)
    iterations = [i for i in values(loop, n, k, length) if eval(test, {"i": i, "n": n, "k": k})]
    for one, other in product(iterations, repeat=2):
        places = [value(write, one, n, k, length), value(write, other, n, k, length), value(read, other, n, k, length)]
        mine, *theirs = [place % length if -length <= place < length else None for place in places]
        if one != other and mine is not None and mine in theirs:
            yield one, other


@settings(max_examples=250 if ALL else 80, deadline=None)
@given(RANGES, GUARDS, INDEXES, INDEXES)
def test_one_loop_against_brute_force(loop: str, guard: str, write: str, read: str) -> None:
    found = conflict_of(loop, guard, write, read)
    if found is None:
        for n, k, length in product(*SIZES):
            assert not list(meetings(loop, guard, write, read, n, k, length)), (n, k, length)
    else:
        n, k, length = (found.values.get(name, 0) for name in ("v_n", "v_k", "s_a_0"))
        pair = found.values["v_i"], found.values["v_i__2"]
        met = list(meetings(loop, guard, write, read, n, k, length))
        assert found.certain
        assert pair in met or pair[::-1] in met, (found.values, met)
