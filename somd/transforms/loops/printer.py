"""A loop program as text, for people: tests, documents, debugging.

    region 1, line 11
        fails at `b[i]`, line 12, if length(a, 0) >= (length(b, 0) + 1)
        free i from 0 to length(a, 0)
            c[i] = a[i] + float64(b[i])

A cast is a call of its type, and so is a number whose type is none of Python's own. An index that may count from the
end is written `a[end i]`, one that is tested `a[test i]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from somd.transforms.loops.operators import OPERATORS
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Cast,
    Check,
    Choice,
    Constant,
    Copy,
    Element,
    Evaluate,
    Expression,
    FromEnd,
    Function,
    HelperCall,
    If,
    Join,
    Lanes,
    Length,
    LibraryCall,
    Loop,
    Operation,
    Origin,
    Partials,
    Program,
    Proved,
    Raise,
    Rebind,
    Reduced,
    Region,
    Return,
    Scan,
    Snapshot,
    Statement,
    Store,
    Tested,
    TimeTiles,
    Unpack,
    Variable,
    While,
    Whole,
)

INDENT = "    "
#: the types that numbers have without a word
PLAIN = ("int64", "float64", "bool", "complex128")


def program_text(program: Program) -> str:
    """The text of a program, functions first."""
    lines: list[str] = []
    for function in program.functions:
        lines += [*_function(function), ""]
    parameters = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in program.parameters)
    lines.append(f"program {program.name}({parameters}) -> {program.result}")
    lines += _indented(_block(program.body))
    return "\n".join(lines) + "\n"


def block_text(body: Sequence[Statement]) -> str:
    """The text of statements."""
    return "\n".join(_block(body))


def _function(function: Function) -> Iterator[str]:
    parameters = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in function.parameters)
    yield f"function {function.name}({parameters}) -> {', '.join(map(str, function.result))}"
    yield from _indented(_block(function.body))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (INDENT + line for line in lines)


def _block(statements: Sequence[Statement]) -> Iterator[str]:
    for statement in statements:
        origin = getattr(statement, "origin", None)
        if isinstance(origin, Origin):
            yield from origin.comments
            yield from [origin.behind] if origin.behind else []
        yield from _statement(statement)


def _statement(node: Statement) -> Iterator[str]:
    if isinstance(node, Region):
        yield from _region(node)
    elif isinstance(node, Scan):
        yield f"scan of {', '.join(f'{e.variable.name} by {e.by}' for e in node.carries if e.by is not None)}"
        yield from _indented(_block((node.totals, node.region)))
    elif isinstance(node, Loop):
        yield from _loop(node)
    elif isinstance(node, While):
        yield f"while {expression_text(node.test)}"
        yield from _indented(_block(node.body))
    elif isinstance(node, If):
        yield f"if {expression_text(node.test)}"
        yield from _indented(_block(node.body))
        if node.orelse:
            yield "else"
            yield from _indented(_block(node.orelse))
    elif isinstance(node, Lanes):
        taken = f", taking {', '.join(each.name for each in node.loaded)}" if node.loaded else ""
        left = f", leaving {', '.join(each.name for each in node.stored)}" if node.stored else ""
        yield f"each lane{taken}{left}"
        yield from _indented(_block(node.body))
    elif isinstance(node, Partials):
        yield f"for each part of region {node.region}, with its {', '.join(each.name for each in node.names)}"
        yield from _indented(_block(node.body))
    else:
        yield _line(node)


def _line(node: Statement) -> str:
    """A statement without blocks."""
    if isinstance(node, Assign):
        return f"{node.target.name}: {node.target.type} = {expression_text(node.value)}"
    if isinstance(node, Store):
        return f"{expression_text(node.element)} = {expression_text(node.value)}"
    if isinstance(node, Unpack):
        return f"{', '.join(each.name for each in node.targets)} = {_called(node.function, node.operands)}"
    if isinstance(node, Evaluate):
        return f"evaluate {expression_text(node.value)}"
    if isinstance(node, Return):
        return f"return {', '.join(map(_result, node.values))}".rstrip()
    if isinstance(node, Raise):
        values = ", ".join(map(expression_text, node.values))
        return f"raise at line {node.site.raising.position.line}" + (f" with {values}" if values else "")
    if isinstance(node, Check):
        return f"fails at `{node.site.text}`, line {node.site.position.line}, if {expression_text(node.condition)}"
    if isinstance(node, Join):
        return f"{', '.join(each.name for each in node.names)} = {node.text} of the parts of region {node.region}"
    return _of_arrays(node) or type(node).__name__.lower()


def _of_arrays(node: Statement) -> str:
    if isinstance(node, Allocate):
        lengths = ", ".join(map(expression_text, node.lengths))
        return f"{node.array}: {node.type.dtype}[{lengths}]{_fill(node.fill)}"
    if isinstance(node, AllocateLike):
        return f"{node.array}: {node.type.dtype} like {node.like}{_fill(node.fill)}"
    if isinstance(node, Copy):
        return f"{node.array} = copy of {node.source}"
    if isinstance(node, LibraryCall):
        targets = ", ".join(each.array if isinstance(each, Whole) else each.name for each in node.targets)
        return f"{targets} = library {node.function.text} of {', '.join(map(_result, node.values))}"
    if isinstance(node, Rebind):
        return f"{', '.join(node.targets)} = {', '.join(node.sources)}"
    if isinstance(node, Snapshot):
        return "; ".join(f"{copy} = copy of {array}" for array, copy in node.copies)
    return ""


def _fill(fill: Expression | None) -> str:
    return "" if fill is None else f" of {expression_text(fill)}"


def _result(node: Expression | Whole) -> str:
    return node.array if isinstance(node, Whole) else expression_text(node)


def _loop(node: Loop) -> Iterator[str]:
    limits = f"from {expression_text(node.start)} to {expression_text(node.stop)}"
    step = "" if node.step == Constant(1, node.step.type, node.step.range) else f" by {expression_text(node.step)}"
    hull = "" if node.hull is None else f", within {' .. '.join(map(expression_text, node.hull))}"
    aligned = ", aligned" if node.aligned else ", in vectors" if node.in_vectors else ""
    reach = "" if node.reach is None else f", reach {node.reach}"
    reach += "" if node.margin is None else f", margin {node.margin}"
    yield f"{'free' if node.order == 'free' else 'for'} {node.variable.name} {limits}{step}{hull}{aligned}{reach}"
    if node.panels is not None:
        kept = f", keeping {', '.join(each.name for each in node.panels.kept)}" if node.panels.kept else ""
        yield f"{INDENT}in panels: region {node.panels.region} waits{kept}"
    if node.time_tiles is not None:
        yield from _indented(_time_tiles(node.time_tiles))
    yield from _indented(_block(node.body))


def _time_tiles(node: TimeTiles) -> Iterator[str]:
    first, last = map(expression_text, node.rows)
    alike = f", where {', '.join(node.alike)} are of one shape" if node.alike else ""
    sweeps = f"{node.sweeps} sweep{'' if node.sweeps == 1 else 's'} a trip"
    sparse = f", unless {expression_text(node.sparse)}" if node.sparse is not None else ""
    yield f"in tiles of time: {sweeps}, rows from {first} to {last}{alike}{sparse}"
    if node.between:
        yield f"{INDENT}behind them, for each trip"
        yield from _indented(_indented(_block(node.between)))


def _region(node: Region) -> Iterator[str]:
    position = node.origin.position
    yield f"region {node.number}" + (f", line {position.line}" if position is not None else "")
    lines = [f"takes {', '.join((*node.arrays, *node.scalars))}", f"writes {', '.join(node.written)}"]
    lines += [f"own {', '.join(node.local_arrays)}"] if node.local_arrays else []
    lines += [_reduced(each) for each in node.reductions]
    lines += [f"combines {each.array} by {each.op}" for each in node.combined]
    lines += [f"hands on {', '.join(each.name for each in node.handed_on)}"] if node.handed_on else []
    lines += [f"in order if {expression_text(each)}" for each in node.ordered_if]
    lines += [f"parts by the partitioner of {node.partition}"] if node.partition else []
    lines += [f"relaxed, by {', '.join(copy for _, copy in node.snapshots)}"] if node.relaxed else []
    yield from (INDENT + line.rstrip() for line in lines)
    yield from _indented(_block(node.checks))
    for table in node.tables:
        yield f"{INDENT}table {table.array}: {table.type.dtype}, up to {expression_text(table.count)}"
        yield from _indented(_indented(_block(table.body)))
    yield from _indented(_loops(node))


def _loops(node: Region) -> Iterator[str]:
    """The loops of a region, and in which ways they are run."""
    yield from _loop(node.loop)
    if node.strips is not None:
        held = [f"{array} holds {values.low} to {values.high}" for array, values in node.strips.assumed]
        assumed = " and ".join([*held, *map(expression_text, node.strips.where)])
        inner = INDENT * node.depth
        yield f"{inner}in strips of {node.strips.length}" + (f", if {assumed}" if assumed else "")
        yield from (inner + line for line in _indented(_block(node.strips.body)))
    if node.tile is not None:
        inner = INDENT * node.depth
        strips = "" if node.strips is None else f", in strips of {node.tile.length}"
        limits = () if node.tile.inner is None else map(expression_text, node.tile.inner)
        strips += f" from {' to '.join(limits)}" if node.tile.inner is not None else ""
        yield f"{inner}{node.tile.count} trips of {node.tile.variable.name} at once{strips}"
        yield from (inner + line for line in _indented(_block(node.tile.body)))
    if node.packed is not None:
        inner = INDENT * node.depth
        yield f"{inner}packed, {node.packed.rows} by {node.packed.columns} trips at once"
        yield from (inner + line for line in _indented(_block(node.packed.body)))
    if node.chunk is not None:
        first, count = node.chunk.first.name, node.chunk.count.name
        yield f"{INDENT * node.depth}in chunks of {count} trips of {node.loops[-1].variable.name}, from {first}"
        yield from (INDENT * (node.depth + 1) + line for line in _block(node.chunk.arrays))
    for number, piece in enumerate(node.pieces, 1):
        inner = INDENT * node.depth
        yield f"{inner}piece {number}"
        yield from (inner + line for line in _indented(_loops(piece)))


def _reduced(node: Reduced) -> str:
    with_it = "".join(f", {each.name}" for each in node.companions)
    how = [word for word, holds in (("equal", node.taking.equal), ("nan", node.taking.unordered)) if holds]
    taken = f", taking {' and '.join(how)}" if how else ""
    return f"reduces {node.variable.name}{with_it} by {node.op}{taken}"


def expression_text(node: Expression) -> str:
    """The text of an expression."""
    if isinstance(node, Constant):
        return f"{node.value}" if node.type.dtype in PLAIN else f"{node.type}({node.value})"
    if isinstance(node, Variable):
        return node.name
    if isinstance(node, Length):
        return f"length({node.array}, {node.axis})"
    if isinstance(node, Cast):
        return f"{node.type}({expression_text(node.operand)})"
    if isinstance(node, Choice):
        return f"{_inner(node.yes)} if {_inner(node.test)} else {_inner(node.no)}"
    if isinstance(node, HelperCall):
        part = "" if node.part is None else f".{node.part}"
        return f"{_called(node.function, node.operands)}{part}"
    if isinstance(node, Operation):
        known = OPERATORS[node.operator]
        if known.infix and len(node.operands) == 2:
            return f" {node.operator} ".join(map(_inner, node.operands))
        return _called(node.operator, node.operands)
    return _element(node)


def _inner(node: Expression) -> str:
    infix = isinstance(node, Choice) or (isinstance(node, Operation) and OPERATORS[node.operator].infix)
    return f"({expression_text(node)})" if infix else expression_text(node)


def _called(function: str, operands: Sequence[Expression]) -> str:
    return f"{function}({', '.join(map(expression_text, operands))})"


def _element(node: Element) -> str:
    words = {Proved: "", FromEnd: "end ", Tested: "test "}
    indices = ", ".join(map(expression_text, node.indices))
    relaxed = "" if node.relaxed is None else f" or {node.relaxed.snapshot}"
    return f"{node.array}[{words[type(node.access)]}{indices}]{relaxed}"
