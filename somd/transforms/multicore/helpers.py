"""Helper functions in generated modules: each for given argument types, under a name of its own."""

from __future__ import annotations

import os

import libcst as cst

from somd.transforms.multicore.casts import Rewriter, Rewriting
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.rewriting import transformed_statement
from somd.transforms.types.typing_table import HelperInstance


def helper_function(instance: HelperInstance, constants: dict[str, object]) -> tuple[cst.FunctionDef, bool]:
    """The function of a helper, and whether it uses `math`; captured numbers go to `constants`."""
    how = Rewriting(instance.method, instance.types, constants=constants)
    parameters = ", ".join(instance.method.param_names)
    header = f"@helper\ndef {instance.name}({parameters}):\n    pass\n"
    function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
    body = [
        transformed_statement(s, Rewriter(how))
        for s in statements_of(instance.method.function.body)
        if isinstance(s, cst.BaseStatement)
    ]
    position = instance.method.position(instance.method.function)
    comment = cst.EmptyLine(comment=cst.Comment(f"# from {os.path.basename(position.file)}, line {position.line}"))
    function = function.with_changes(
        body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
    )
    return function, how.uses_math
