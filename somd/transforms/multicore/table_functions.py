"""Tables of a region -> the functions that make them, and their calls at the top of a slave.

@slave
def f_slave_1_table_1(length, n):
    table_1 = room(length, np.float64)
    if length == 0:
        return table_1
    for k in range(n):
        if k >= len(table_1):
            return table_1
        table_1[k] = elementary.exp(k * 0.5)
    return table_1

table_1 = f_slave_1_table_1(table_length(trips(lo, hi, 1), trips(0, n, 1)), n)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from somd.transforms.emit.python import Statements
from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.loops.program import Element, Evaluate, Length, Region, Store, Table, Variable
from somd.transforms.loops.walking import expressions_in, statements_in
from somd.transforms.multicore.printing import parsed_lines
from somd.transforms.tree.verbatim import verbatim


def with_tables(scope: Scope, tables: Sequence[Table]) -> Scope:
    """The scope where tables are arrays."""
    return replace(scope, arrays={**scope.arrays, **{table.array: table.type for table in tables}})


def tables_made(
    region: Region, scope: Scope, name: str, iterations: str
) -> tuple[list[cst.FunctionDef], list[cst.BaseStatement]]:
    """The functions, whose names begin with `name`, and their calls by a part with so many `iterations`, as text."""
    functions, calls = [], []
    for number, table in enumerate(region.tables, 1):
        function, length = scope.fresh(f"{name}_table_{number}"), scope.fresh("length")
        arguments = _arguments(region, table, scope)
        functions.append(_function(function, [length, *arguments], table, scope))
        count = Expressions(scope).value(table.count).text
        given = ", ".join([f"table_length({iterations}, {count})", *arguments])
        calls.append(f"{scope.name(table.array)} = {function}({given})")
    return functions, verbatim(*calls)


def _arguments(region: Region, table: Table, scope: Scope) -> list[str]:
    """The names of what a table is made of."""
    needed = set()
    for node in expressions_in((Evaluate(table.count), *table.body)):
        needed |= {node.name} if isinstance(node, Variable) else set()
        needed |= {node.array} if isinstance(node, Element | Length) else set()
    return [scope.name(name) for name in (*region.arrays, *region.scalars) if name in needed]


def _function(name: str, parameters: Sequence[str], table: Table, scope: Scope) -> cst.FunctionDef:
    scope = replace(scope, renamed={**scope.renamed, table.array: scope.fresh("table")})
    [stored] = [node for node in statements_in(table.body) if isinstance(node, Store)]
    first = f"{scope.name(table.array)} = room({parameters[0]}, np.{numpy_name(table.type.dtype)})"
    none = [f"if {parameters[0]} == 0:", f"    return {scope.name(table.array)}"]  # perhaps there are no iterations
    text = f"@slave\ndef {name}({', '.join(parameters)}):\n    pass\n"
    value = Expressions(scope).value(stored.value).text
    comment = cst.EmptyLine(comment=cst.Comment(f"# `{value}`, by trips of its loop"))
    return cst.ensure_type(cst.parse_statement(text), cst.FunctionDef).with_changes(
        body=cst.IndentedBlock(parsed_lines([first, *none, *Statements(scope).lines(table.body)])),
        leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment],
    )
