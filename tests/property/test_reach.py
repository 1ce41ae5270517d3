"""What random programs are made of: each class of what compilers get wrong occurs in one of twenty at least."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.property.calls import calls
from tests.property.mixed import Mixed, mixed

PROGRAMS = 300
WRAPPING = {"hash_loop", "generator", "undone_products", "distances", "comparisons_of_sums", "table_by_hash"}
CHAINS = {"chain_of_floats", "chain_of_words", "loop_of_chains"}
NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
#: what the lines of a method say
LINES = {
    "arrays exchanged": r"^\s+(\w+), (\w+) = \2, \1$",
    "descending loop": r"range\([^\n]*, -\d\)|reversed\(",
    "local array": r"np\.(zeros|ones|empty|full)",
    "cast to a narrow integer": r"np\.u?int(8|16|32)\(",
    "power": r"\*\*|pow\(",
    "int()": r"(?<![\w.])int\(",
    "inner while": r"^\s{8,}while ",
    "conditional end of a loop": r"^\s{12,}(break|continue)$",
}


def classes(made: Mixed) -> Iterator[str]:
    """The classes to which a program belongs."""
    body = made.text[made.text.index("@somd") :]
    yield from (name for name, pattern in LINES.items() if re.search(pattern, body, re.MULTILINE))
    if made.wide or made.features & WRAPPING:
        yield "overflow"
    arrays = {p.name: k for k, p in enumerate(made.parameters) if p.array is not None}
    scalars = [k for k, p in enumerate(made.parameters) if p.array is None]
    if sum(sum(s < k for s in scalars) >= 2 for k in arrays.values()) >= 2:
        yield "several arrays behind several scalars"
    if any("compressed_rows" in each for each in made.features):
        yield "compressed rows"
    if made.features & {"narrow_stores", "ints_beside_narrow"}:
        yield "numbers that narrow integers may not hold"
    if made.features & CHAINS:
        yield "chain of scalars"
    if any(p.array is not None and p.array.dtype in NARROW for p in made.parameters):
        yield "narrow array"
    if any("one array for" in each.what for each in calls(made)):
        yield "aliases"
        if any(re.search(rf"^\s+(\w+, )*{name}(, \w+)* = ", body, re.MULTILINE) for name in arrays):
            yield "aliases of a name that is bound anew"
    nodes = list(ast.walk(ast.parse(body)))
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    if any(isinstance(each, ast.If | ast.IfExp) for node in loops for each in ast.walk(node)):
        yield "condition in a loop"
    if any(isinstance(each, ast.For) for node in nodes if isinstance(node, ast.If) for each in ast.walk(node)):
        yield "loop under a condition"
    if any(isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) for node in nodes):
        yield "tuple"
    if "time_loop" in made.features:
        yield "time loop"
        if re.search(r"^    c\d_ = ", body, re.MULTILINE):
            yield "number handed from turn to turn"


def test_each_class_occurs_often() -> None:
    found = Counter(name for number in range(PROGRAMS) for name in set(classes(mixed(number))))
    assert len(found) == len(LINES) + 13
    assert not {name: count for name, count in found.items() if count < PROGRAMS / 20}
