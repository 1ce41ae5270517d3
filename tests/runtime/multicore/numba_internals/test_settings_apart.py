"""A name that is set many times in a block means what it means in Python."""

import random
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import compiler, untyped_passes

from somd.runtime.multicore.numba_internals.settings_apart import FEW, SettingsApart

NAMES = ("t", "u", "v")


class Compiler(compiler.Compiler):
    """Numba's, with names told apart."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(SettingsApart, untyped_passes.IRProcessing)
            pipeline.finalize()
        return pipelines


def statements(chance: random.Random, count: int, indent: str, depth: int) -> list[str]:
    """Lines that set the names, of int64 and all of them set before; blocks among them."""
    lines: list[str] = []
    for _ in range(count):
        target, left, right = (chance.choice(NAMES) for _ in range(3))
        kind = chance.random()
        if depth and kind < 0.02:
            lines += [
                f"{indent}if {left} > {right}:",
                *statements(chance, FEW + 8, f"{indent}    ", depth - 1),
                f"{indent}else:",
                f"{indent}    {target} = {left} - 1",
            ]
        elif depth and kind < 0.03:
            lines += [
                f"{indent}for _ in range(3):",
                *statements(chance, FEW + 8, f"{indent}    ", depth - 1),
            ]
        elif kind < 0.15:
            lines.append(f"{indent}{target}, {left} = {left}, {right} + 1")
        elif kind < 0.3:
            lines.append(f"{indent}{target} {chance.choice(('+=', '-=', '^='))} {right} & 1023")
        else:
            lines.append(f"{indent}{target} = ({left} * 3 + {right}) & 8191")
    return lines


def test_as_python(tmp_path: Path) -> None:
    for seed in range(2):
        lines = statements(random.Random(seed), FEW * 4, "    ", 1)
        text = "\n".join(["def method(t, u, v):", *lines, "    return t * 1000000 + u * 1000 + v", ""])
        file = tmp_path / f"settings_{seed}.py"
        file.write_text(text, encoding="utf-8")
        namespace: dict[str, object] = {"__name__": "generated"}
        exec(compile(text, str(file), "exec"), namespace)
        function = namespace["method"]
        compiled = njit(pipeline_class=Compiler)(function)
        for given in ((1, 2, 3), (-5, 7, 11), (0, 0, 0)):
            assert compiled(*given) == function(*given)  # type: ignore[operator]
