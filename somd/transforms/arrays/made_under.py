"""What a statement computes before it binds a name to it is made under that name: `s = a.sum(axis=1)` copies nothing.

    value__whole = np.empty(...)            s = np.empty(...)
    for at in ...: value__whole[at] = ...   for at in ...: s[at] = ...
    s = value__whole's elements        ->

In: the statements that come before, of which one makes the array. Out: the same, about another name.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.arrays.expressions import Expressions
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.renaming import Replaced
from somd.transforms.tree.walking import nodes_of


def made_under(expressions: Expressions, array: str, name: str) -> bool:
    """Whether `array`, which the statement has just made, is made as `name` in its place."""
    names, lines = expressions.names, expressions.before
    makes = [isinstance(line, cst.SimpleStatementLine) and array in assigned_names(line) for line in lines]
    if array not in names.spelled or makes.count(True) != 1:
        return False
    if any(name in names_read(line) | assigned_names(line) for line in lines):
        return False
    for number, line in enumerate(lines):
        found = [each for each in nodes_of(line, cst.Name) if each.value == array]
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {each: names.expression(name, each) for each in found}
        made = line.visit(Replaced(replaced, names.positions)) if found else line
        assert isinstance(made, cst.BaseStatement)
        if line in expressions.shapes.tests:
            expressions.shapes.tests.add(made)
        lines[number] = made
    return True
