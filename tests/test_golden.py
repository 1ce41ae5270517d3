"""What the compiler writes for the methods in `tests/golden`, to the letter; and that it runs.

A case is a folder with `input.py`: a SOMD method of the folder's name; `cases()`, its arguments, small ones that one MI
runs and larger ones that several do; `RTOL`, where results may differ in rounding; `failing()`, arguments for which it
raises an error. Beside it stand `plan.txt`, what `explain()` says, and what is generated for the first case:
`multicore.py`, and `opencl.py` (or `opencl.txt`, the reason, where OpenCL lacks a construct of the method).

After a change of the compiler: `pytest tests/test_golden.py --bless`, then read the difference.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

from somd import SomdMethod
from somd.arguments.signatures import describe
from somd.runtime.multicore.call import MulticoreCall
from somd.runtime.opencl import known_answers as known
from somd.settings.targets import TargetLacks
from somd.transforms import pipeline
from somd.transforms.signature_text import parse_type
from tests.differential import harness

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
TESTED = ("plan.txt", "multicore.py", "opencl.py", "opencl.txt")

Call = Callable[[tuple[Any, ...], int], Any]


def loaded(case: str, file: str) -> ModuleType:
    """The module in a file of a case."""
    spec = importlib.util.spec_from_file_location(f"golden_{case}_{Path(file).stem}", GOLDEN / case / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def method_of(module: ModuleType, case: str) -> SomdMethod[..., Any]:
    found = getattr(module, case)
    assert isinstance(found, SomdMethod), f"`{case}` in input.py is no SOMD method"
    return found


def written(case: str) -> dict[str, str]:
    """The files that belong beside `input.py`, with what the compiler says now."""
    module = loaded(case, "input.py")
    method = method_of(module, case)
    names = method.sequential.__code__.co_varnames  # type: ignore[attr-defined]
    types = {name: parse_type(describe(value)) for name, value in zip(names, module.cases()[0], strict=False)}
    compiled = pipeline.compile_for(method.sequential, types, {})  # type: ignore[arg-type]
    found = {"plan.txt": method.explain(), "multicore.py": pipeline.module_text(compiled, "multicore")}
    try:
        found["opencl.py"] = pipeline.module_text(compiled, "opencl")
    except TargetLacks as lack:
        found["opencl.txt"] = lack.reason
    return {name: text.rstrip("\n") + "\n" for name, text in found.items()}


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, request: pytest.FixtureRequest) -> None:
    """Every file says what the compiler says now; none is missing, and none is left over."""
    found = written(case)
    for name, text in found.items():
        assert str(GOLDEN.parent) not in text, f"{name} holds a path of this machine"
    if request.config.getoption("--bless"):
        for name in TESTED:
            (GOLDEN / case / name).unlink(missing_ok=True)
        for name, text in found.items():
            (GOLDEN / case / name).write_text(text, encoding="utf-8")
    there = {path.name for path in (GOLDEN / case).iterdir() if path.name != "__pycache__"}
    assert there == {"input.py", *found}, "files missing or left over: run pytest with --bless and read the difference"
    for name, text in found.items():
        assert (GOLDEN / case / name).read_text(encoding="utf-8") == text, f"{case}/{name}: see --bless"


def test_kernels_with_known_answers(request: pytest.FixtureRequest) -> None:
    """Devices are tried with what the compiler writes now."""
    types = {
        n: parse_type(describe(v)) for n, v in zip(known.PARAMETERS, known.arguments(*known.SIZES[0]), strict=True)
    }
    compiled = pipeline.compile_for(known.known_answers, types, {})
    text = pipeline.module_text(compiled, "opencl").rstrip("\n") + "\n"
    path = Path(known.__file__).with_name("known_answers_module.py")
    if request.config.getoption("--bless"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "see --bless"


@pytest.fixture
def calls(case: str, target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Call]:
    """What calls the module in the golden file, compiled anew: Numba's cache does not see changes of the runtime."""
    if not (GOLDEN / case / f"{target}.py").exists():
        pytest.skip(f"no text for {target}")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    module, method = loaded(case, f"{target}.py"), method_of(loaded(case, "input.py"), case)
    functions = method._shown().functions
    if target == "multicore":
        yield MulticoreCall(module, case, method._shown_calling().partitioners, functions=functions)
        return
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    from somd.runtime.opencl.execute import OpenCLCall

    yield OpenCLCall(module, case, None, method._shown_calling().partitioners, functions=functions)


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_run(case: str, target: str, calls: Call) -> None:
    """The golden file itself, run for several numbers of MIs, does what the method does as plain Python."""
    module = loaded(case, "input.py")
    plain = method_of(module, case).sequential
    for args in module.cases():
        expected_args = harness.duplicate(args)
        with np.errstate(all="ignore"):
            expected = plain(*expected_args)
        for workers in harness.WORKERS:
            found_args = harness.duplicate(args)
            found = calls(found_args, workers)
            where = f"{workers} workers, {harness.describe(args)}"
            rtol = getattr(module, "RTOL", 0.0)
            harness.assert_same(found, expected, rtol, f"result ({where})")
            harness.assert_same(found_args, expected_args, rtol, f"arguments ({where})")
    for args in module.failing() if hasattr(module, "failing") else ():
        with pytest.raises(Exception) as plainly:
            plain(*harness.duplicate(args))
        line = plainly.traceback[-1].lineno + 1
        for workers in harness.WORKERS:
            with pytest.raises(plainly.type) as caught:
                calls(harness.duplicate(args), workers)
            if plainly.type is IndexError:
                assert str(caught.value).endswith(f"(input.py, line {line})")
            else:
                harness.assert_same_exception(caught.value, plainly.value, f"{case}, {workers} workers")
