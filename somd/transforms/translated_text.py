"""A generated module -> one that people call: the text for a target with the master made a method.

In: the plan for one signature. Out: the text of a module whose function of the method's name takes the method's
arguments, and the tables that the target wants in files of their own, which the module reads. It imports `somd.runtime`
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.settings.targets import target_of
from somd.transforms.pipeline import Compiled, module_text


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
    #: positions of floats for which an int may stand
    takes_ints: tuple[int, ...] = ()


_BLANK = cst.EmptyLine(indent=False)


def translated_text(
    compiled: Compiled, target: str, signature: Sequence[str], beside: Beside, file: str
) -> tuple[str, dict[str, str]]:
    """The module for a target, and by their endings the files beside it, all with the name `file`.

    Raises:
        TargetLacks: the target has no form for something in the method.
    """
    name, decorator = compiled.method.name, f"{target}_method"
    apart, files = target_of(target).apart, dict[str, str]()
    arguments = [f'"{each}"' for each in signature]
    if beside.defaults:
        arguments.append(f"defaults={dict(beside.defaults)!r}")
    if beside.takes_ints:
        arguments.append(f"takes_ints={beside.takes_ints!r}")
    if beside.as_written is not None:
        arguments.append(f"as_written={beside.as_written}")
    if beside.raises is not None:
        arguments.append(f"raises={name}_raises")
    definitions = [cst.parse_statement(text) for text in (beside.raises, beside.definition) if text is not None]
    made = cst.Decorator(cst.parse_expression(f"{decorator}({', '.join(arguments)})"))
    module = cst.parse_module(module_text(compiled, target))
    body: list[cst.BaseStatement | cst.SimpleStatementLine] = []
    last = max((k for k, s in enumerate(module.body) if _is_import(s)), default=0)
    for k, statement in enumerate(module.body):
        if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
            statement = statement.with_changes(decorators=[made, *statement.decorators])
        table, value = _assigned(statement)
        if table in apart:
            files[apart[table]] = value
            read = f'{table} = Path(__file__).with_name("{file}{apart[table]}").read_text(encoding="utf-8")'
            statement = cst.parse_statement(read)
        if apart and k == 1:
            body.append(cst.parse_statement("from pathlib import Path"))
        body.append(statement)
        if k == last:
            body.append(cst.parse_statement(f"from somd.runtime.translated import {decorator}"))
            body += [each.with_changes(leading_lines=[_BLANK, _BLANK]) for each in definitions]
        elif k == last + 1 and definitions:
            body[-1] = statement.with_changes(leading_lines=[_BLANK, _BLANK])
    return module.with_changes(body=body).code, files


def _is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _assigned(node: cst.CSTNode) -> tuple[str, str]:
    """The name to which a statement gives a text, and the text; ("", "") for another statement."""
    if isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Assign):
        target, value = node.body[0].targets[0].target, node.body[0].value
        if isinstance(target, cst.Name) and isinstance(value, cst.SimpleString):
            return target.value, str(value.evaluated_value)
    return "", ""
