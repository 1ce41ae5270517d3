"""Methods that compute many cases of the table at once, each into a row of its result."""

from __future__ import annotations

import importlib.util
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import somd
from tests.operations.cases import Case
from tests.operations.hard_numbers import COUNT, PYTHON, Kind, operand

HEADER = "import cmath\nimport math\n\nimport numpy as np\n\nfrom somd import dist, somd\n\n\n"


def computed(cases: list[Case], target: str, folder: Path, workers: int = 2) -> list[np.ndarray]:
    """What the target gives for all operands of each case."""
    inputs: dict[str, np.ndarray] = {}
    counts: Counter[str] = Counter()
    lines = []
    for case in cases:
        names = [_operand(kind, place, inputs) for place, kind in enumerate(case.kinds)]
        dtype = case.result.dtype
        only = ""
        if _may_not_fit(case):
            inputs[f"fits_{len(lines)}"] = np.array([each is not None for each in case.expected])
            only = f"if fits_{len(lines)}[i]: "
        lines.append(f"        {only}o_{dtype}[{counts[dtype]}, i] = {case.template.text.format(*names)}\n")
        counts[dtype] += 1
    outputs = {dtype: np.zeros((count, COUNT * COUNT), dtype) for dtype, count in counts.items()}
    parameters = [f"{name}: dist[np.ndarray]" for name in inputs] + [f"o_{dtype}: np.ndarray" for dtype in outputs]
    first = next(iter(inputs))
    text = f"{HEADER}@somd\ndef table({', '.join(parameters)}) -> None:\n    for i in range(len({first})):\n"
    method = loaded(text + "".join(lines), folder)
    with somd.use(target=target, workers=workers, small_work=0), warnings.catch_warnings():
        warnings.simplefilter("error", somd.SomdFallbackWarning)
        method(*inputs.values(), *outputs.values())
    rows = {dtype: iter(output) for dtype, output in outputs.items()}
    return [next(rows[case.result.dtype]) for case in cases]


def _may_not_fit(case: Case) -> bool:
    """Whether a Python number meets integers that do not hold it, so that the method raises."""
    meets = (case.result, *case.kinds)
    integers = any(not kind.weak and kind.kind in "iu" for kind in meets)
    return integers and any(kind.weak for kind in case.kinds) and any(each is None for each in case.expected)


def _operand(kind: Kind, place: int, inputs: dict[str, np.ndarray]) -> str:
    name = f"x{place}_{kind.dtype}"
    inputs[name] = operand(kind, place)
    return f"{PYTHON[kind].__name__}({name}[i])" if kind.weak else f"{name}[i]"


def loaded(text: str, folder: Path) -> Any:
    file = folder / f"table_{len(list(folder.iterdir()))}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.table
