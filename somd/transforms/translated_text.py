"""A generated module -> one that people call: `multicore_text` and `opencl_text` with the master made a method.

In: the plan for one signature. Out: the text of a module whose function of the method's name takes the method's
arguments, and for OpenCL the kernels as a file of their own, which the module reads. It imports `somd.runtime` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.transforms.pipeline import Compiled


@dataclass(frozen=True)
class Beside:
    """What the module holds besides the generated code: a definition and the expression that makes the user's function
    by it, where a call needs that; values of parameters that may be left out; and a function that imports what
    exceptions are made of."""

    definition: str | None = None
    as_written: str | None = None
    defaults: Mapping[str, object] | None = None
    #: the definition of what its exceptions are made of
    raises: str | None = None


def multicore_module(compiled: Compiled, signature: Sequence[str], beside: Beside) -> str:
    """The module for multicore."""
    from somd.transforms.multicore.plan_to_multicore import module_text, plan_to_multicore

    text = module_text(plan_to_multicore(compiled.plan, compiled.types))
    return _called(text, "multicore_method", compiled.method.name, signature, beside, None)


def opencl_module(compiled: Compiled, signature: Sequence[str], beside: Beside, kernels_file: str) -> tuple[str, str]:
    """The module for OpenCL, and the kernels that it reads from `kernels_file` in its own folder.

    Raises:
        TargetLacks: the method has a construct without a form in OpenCL C.
    """
    from somd.transforms.opencl.plan_to_opencl import module_text, plan_to_opencl

    code = plan_to_opencl(compiled.plan, compiled.types)
    text = module_text(replace(code, kernels=""))
    return _called(text, "opencl_method", compiled.method.name, signature, beside, kernels_file), code.kernels


_BLANK = cst.EmptyLine(indent=False)


def _called(
    text: str, decorator: str, name: str, signature: Sequence[str], beside: Beside, kernels_file: str | None
) -> str:
    arguments = [f'"{each}"' for each in signature]
    if beside.defaults:
        arguments.append(f"defaults={dict(beside.defaults)!r}")
    if beside.as_written is not None:
        arguments.append(f"as_written={beside.as_written}")
    if beside.raises is not None:
        arguments.append(f"raises={name}_raises")
    definitions = [cst.parse_statement(text) for text in (beside.raises, beside.definition) if text is not None]
    made = cst.Decorator(cst.parse_expression(f"{decorator}({', '.join(arguments)})"))
    module = cst.parse_module(text)
    body: list[cst.BaseStatement | cst.SimpleStatementLine] = []
    last = max((k for k, s in enumerate(module.body) if _is_import(s)), default=0)
    for k, statement in enumerate(module.body):
        if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
            statement = statement.with_changes(decorators=[made, *statement.decorators])
        elif kernels_file is not None and _assigns(statement, "KERNELS"):
            read = f'KERNELS = Path(__file__).with_name("{kernels_file}").read_text(encoding="utf-8")'
            statement = cst.parse_statement(read)
        if kernels_file is not None and k == 1:
            body.append(cst.parse_statement("from pathlib import Path"))
        body.append(statement)
        if k == last:
            body.append(cst.parse_statement(f"from somd.runtime.translated import {decorator}"))
            body += [each.with_changes(leading_lines=[_BLANK, _BLANK]) for each in definitions]
        elif k == last + 1 and definitions:
            body[-1] = statement.with_changes(leading_lines=[_BLANK, _BLANK])
    return module.with_changes(body=body).code


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _assigns(node: cst.CSTNode, name: str) -> bool:
    if not isinstance(node, cst.SimpleStatementLine) or not isinstance(node.body[0], cst.Assign):
        return False
    target = node.body[0].targets[0].target
    return isinstance(target, cst.Name) and target.value == name
