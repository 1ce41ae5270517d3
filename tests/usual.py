"""How much the usual run does: with SOMD_ALL_CASES=1 tests take all of their cases, else as many as say most."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from zlib import crc32

import pytest

ALL = bool(os.environ.get("SOMD_ALL_CASES"))
#: the identifier of a case for a GPU
GPU = re.compile(r"[\[-]gpu[\]-]")


def of_usual_run(items: Iterable[pytest.Item]) -> Iterator[tuple[pytest.Item, bool]]:
    """Each test, and whether the usual run takes it: of a function that is marked `usual(n)` one case in n, beginning
    with another one for each function, so that targets and devices take turns; at least one; `usual(0)`, none.

    Cases for a GPU are taken all: where there is none they take no time.
    """
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    for name, all_cases in functions.items():
        on_gpu = [item for item in all_cases if GPU.search(item.nodeid)]
        cases = [item for item in all_cases if item not in on_gpu]
        first = crc32(name.rpartition("::")[2].encode())
        yield from ((item, True) for item in on_gpu)
        for k, item in enumerate(cases):
            marks = [mark.args[0] for mark in item.iter_markers("usual")]
            yield item, all(each and (first + k) % min(each, len(cases)) == 0 for each in marks)
