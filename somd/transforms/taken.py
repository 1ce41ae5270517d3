"""Flags that tell what an accumulator took, beside its partial results: `Reduction.flagged` says where they are needed.

    if a[i] >= best:            ->   if a[i] >= best:
        best = a[i]                      best = a[i]
        at = i                           at = i
                                         best_taken = True

    low = min(a[i], low)        ->   low = min(a[i], low)
                                     low_taken = low_taken or low != low

In the first a partial result without a value taken is told from one that equals the value a block begins with. In the
second it is noted that nan was taken, so that what was before counts no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.stages import Reduction

Flagged = Mapping[cst.CSTNode, str]


def flag_texts(reduction: Reduction, flag: str, kind: str) -> dict[cst.CSTNode, str]:
    """By each update: the statement that sets the flag, which stands in a conditional's body, or behind."""
    if not reduction.flagged(kind):
        return {}
    name = reduction.name
    text = f"{flag} = {flag} or {name} != {name}" if reduction.taking(kind).unordered else f"{flag} = True"
    return dict.fromkeys(reduction.updates, text)


def flagged_branch(original: cst.If, updated: cst.If, flagged: Flagged) -> cst.If:
    """A conditional that is an update, with what sets the flag in its body."""
    text = flagged.get(original)
    if text is None:
        return updated
    body = updated.body
    added = cst.SimpleStatementLine([_statement(text)]) if isinstance(body, cst.IndentedBlock) else _statement(text)
    return updated.with_changes(body=body.with_changes(body=[*body.body, added]))


def flagged_line(
    original: cst.BaseSmallStatement, updated: cst.BaseSmallStatement, flagged: Flagged
) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
    """A statement that is an update, with what sets the flag behind it."""
    text = flagged.get(original)
    return updated if text is None else cst.FlattenSentinel([updated, _statement(text)])


def _statement(text: str) -> cst.BaseSmallStatement:
    return cast(cst.SimpleStatementLine, cst.parse_statement(text)).body[0]


def takes_text(reduction: Reduction, kind: str, partial: str, flag: str) -> str:
    """The condition, as Python text, under which the partial result takes the accumulator's place."""
    name, taking = reduction.name, reduction.taking(kind)
    better = OPERATORS[reduction.op].better
    if taking.unordered:
        kept = better if taking.equal else f"{better}="
        return f"{flag} or ({partial} == {partial} and not {name} {kept} {partial})"
    text = f"{partial} {better}{'=' if taking.equal else ''} {name}"
    return f"{flag} and {text}" if reduction.flagged(kind) else text
