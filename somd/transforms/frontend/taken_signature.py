"""The parameters of a method that takes what is read of objects, in place of the objects."""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method, Param


def signature_of(method: Method, objects: set[str], taken: tuple[Param, ...], first: bool) -> cst.Parameters:
    """The parameters of `method` without those that stand for objects, and what is taken, `first` or behind others."""
    made = [cst.Param(cst.Name(p.name)) for p in taken]
    given = method.function.params
    keep = [[p for p in group if p.name.value not in objects] for group in (given.posonly_params, given.params)]
    keyword = [p for p in given.kwonly_params if p.name.value not in objects]
    plain = [*keep[0], *keep[1]]
    if first:
        return _with_params(given, [*made, *plain], keyword)
    return _with_params(given, plain, [*keyword, *made])


def _with_params(given: cst.Parameters, plain: list[cst.Param], keyword: list[cst.Param]) -> cst.Parameters:
    """Other parameters; a lone `*` stays only before some that are given by keyword."""
    lone = isinstance(given.star_arg, cst.ParamStar) and not keyword
    star = cst.MaybeSentinel.DEFAULT if lone else given.star_arg
    return given.with_changes(posonly_params=(), params=plain, star_arg=star, kwonly_params=keyword)
