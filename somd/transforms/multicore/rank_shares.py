"""What the share of a rank in a phase touches: whether a phase can be cut for ranks, and the function that tells.

    @slave
    def heat_rows_1(ranks, parts, a, b):
        words = phase_words(1, 2, parts)
        note_array(words, 0, a, 0)
        note_array(words, 1, b, 0)
        for part in range(parts):
            first, last = part_trips(trips(1, len(a) - 1, 1), 1, part, parts)
            if first < last:
                last -= 1
                note_rows(words, 0, part, first, last + 2, 0)
                ...
        tell(ranks, 2, words)

A phase is cut along its outermost loop, where later trips write rows (indexes along some axis) behind, or all before,
those of earlier ones; so ranks write rows of their own. Of what is read anywhere all is touched, along whatever axis.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from somd.syntax import expression_of
from somd.transforms.access import Access
from somd.transforms.analysis.dependences import keys_in
from somd.transforms.analysis.touched_rows import Rows, touched_rows
from somd.transforms.loops.program import Element, Region
from somd.transforms.loops.walking import expressions_in
from somd.transforms.multicore.names import MODULES, Fresh
from somd.transforms.multicore.nodes import indented
from somd.transforms.plan.statement_words import statement_of
from somd.transforms.stages import Dim, Nest, Plan, Scan, all_steps, relies_on_partition, written_arrays
from somd.transforms.tree.loops import integer_constant
from somd.transforms.types.scalars import ScalarType, Type
from somd.transforms.types.typing_table import Types

#: what is told before a phase, as `runtime.multicore.ranks` numbers it
PHASE = 2
#: axes along which arrays are cut
AXES = 8
#: behind all rows
MOST = 1 << 62
ALL = Rows(None, None)


@dataclass(frozen=True)
class Cut:
    """The rows of each array that trips `first` to `last` of a phase touch; those of none are all of them. What is
    indexed by the keys of a partition belongs to the parts that have the keys: `keyed` is the axis by array, `hulls`
    the name of the trips and keys of each rank."""

    rows: Mapping[str, Rows]
    first: str
    last: str
    keyed: Mapping[str, int] = field(default_factory=dict)
    hulls: str = ""


def of_ranks(plan: Plan) -> Iterator[str]:
    """How ranks share the phases of a plan, in words."""
    scans = {id(step.phase) for step in all_steps(plan) if isinstance(step, Scan)}
    scans |= {id(step.totals) for step in all_steps(plan) if isinstance(step, Scan)}
    for phase in plan.phases():
        nest = phase.nest
        why = "it is part of a scan" if id(phase) in scans else _why_whole(nest, plan)
        what = f"every rank runs all of it: {why}"
        if why is None:
            written = statement_of(nest.dims[0].node, plan.method) is None
            whole = f"loop over {nest.dims[0].variable}" if written else "elements" if len(nest.dims) == 1 else "rows"
            what = f"each rank runs its part of the {whole}"
        yield f"phase {phase.number}, line {nest.position.line}: {what}"
    if not plan.phases():
        yield "every rank runs all of it"


def _why_whole(nest: Nest, plan: Plan) -> str | None:
    """Why every rank runs all of a phase, or None where it can be cut."""
    if nest.copies:
        return "each part makes a partial result"
    if nest.relaxed is not None:
        return "its reads are relaxed"
    if nest.aliased:
        return "two of its arrays may be one"
    return None if cut_of(nest, plan, "first", "last") is not None else "parts would write into each other's rows"


def cut_of(
    nest: Nest, plan: Plan, first: str, last: str, region: Region | None = None, hulls: str = "hulls"
) -> Cut | None:
    """How a phase is cut, or None. What tables of its slave read is touched by all."""
    if nest.copies or nest.relaxed is not None:
        return None
    keyed = _keyed(nest, plan) if relies_on_partition(plan, nest) else {}
    if keyed is None:
        return None
    apart = {*keyed, *(each.array for each in nest.combined)}
    others = replace(nest, accesses=tuple(a for a in nest.accesses if a.array not in apart))
    found = touched_rows(others, nest.dims[0], f"v_{first}", f"v_{last}", AXES)
    if found is None:
        return None
    everywhere = {
        each.array
        for table in (() if region is None else region.tables)
        for each in expressions_in(table.body)
        if isinstance(each, Element)
    }
    rows: dict[str, Rows] = {}
    for array in sorted({*nest.arrays_read, *nest.arrays_written}):
        of_array = found.get(array, ALL)
        rows[array] = replace(of_array, touched=None) if array in everywhere else of_array
    return Cut(rows, first, last, keyed, hulls if relies_on_partition(plan, nest) else "")


def _keyed(nest: Nest, plan: Plan) -> Mapping[str, int] | None:
    """The arrays that iterations of a phase reach by their keys alone, each with the axis; None where ranks cannot be
    told which keys they have: these must be as they were when the call began, and be those of trips 0, 1, 2 ..."""
    dim = nest.dims[0]
    numbered = dim.step == 1 and integer_constant(dim.start, plan.method) == 0
    if not numbered or nest.aliased or nest.partition is None or nest.partition in written_arrays(plan):
        return None
    found: dict[str, int] = {}
    for array in {access.array for access in nest.accesses}:
        accesses = [access for access in nest.accesses if access.array == array]
        axes = [axis for axis in range(len(accesses[0].indices)) if all(_by_key(a, axis, dim) for a in accesses)]
        if axes:
            found[array] = axes[0]
    return found


def _by_key(access: Access, axis: int, dim: Dim) -> bool:
    """Whether an index is the key of the iteration."""
    index = access.indices[axis]
    loop = next((domain.variable for domain in access.loops if domain.node is dim.node), None)
    return index is not None and index.text in keys_in(index) and index.text.endswith(f"__{loop}")


def rows_function(
    name: str,
    number: int,
    cut: Cut,
    limits: str,
    length: str,
    written: Sequence[str],
    types: Types,
    fresh: Fresh,
    tiled: tuple[str, ...] = (),
) -> tuple[cst.FunctionDef, tuple[str, ...]]:
    """The function that tells what shares touch, and what it takes besides `ranks` and `parts`. The loop over `limits`
    is cut into blocks of `length` trips; or it is `tiled`, by the names of the parts of a rank, and of how many trips
    further down they lie, which it takes too."""
    texts = [text for rows in cut.rows.values() for pair in (rows.touched, rows.written) if pair for text in pair]
    mentioned = set().union(*map(_variables, (*texts, f"trips({limits})", length)))
    taken = (*cut.rows, *sorted(mentioned - {*cut.rows, cut.first, cut.last}), *([cut.hulls] if cut.hulls else []))
    ranks, parts, words, part = map(fresh.name, ("ranks", "parts", "words", "part"))
    low_key, high_key = map(fresh.name, ("low_key", "high_key"))
    noted, entered = [], []
    for k, (array, rows) in enumerate(cut.rows.items()):
        if array in cut.keyed:
            noted.append(f"note_array({words}, {k}, {array}, {cut.keyed[array]})")
            entered.append(f"note_rows({words}, {k}, {part}, {low_key}, {high_key}, 0)")
            if array in written:
                entered.append(f"note_rows({words}, {k}, {part}, {low_key}, {high_key}, 2)")
            continue
        anywhere = rows.touched is None and rows.written is None
        noted.append(f"note_array({words}, {k}, {array}, {-1 if anywhere else rows.axis})")
        low, high = rows.touched or ("0", "0" if anywhere else f"{array}.shape[{rows.axis}] - 1")
        entered.append(f"note_rows({words}, {k}, {part}, {low}, {high}, 0)")
        if rows.written is not None:
            entered.append(f"note_rows({words}, {k}, {part}, {rows.written[0]}, {rows.written[1]}, 2)")
    inner = "\n".join([f"{cut.last} -= 1", *entered])
    trips = f"part_trips(trips({limits}), {length}, {part}, {parts})"
    if tiled:
        trips = f"tile_trips(trips({limits}), {', '.join(tiled)}, {part}, {parts})"
    body = [
        *(f"{each} = np.int64({each})" for each in taken if _is_narrow(types.names.get(each))),
        f"{words} = phase_words({number}, {len(cut.rows)}, {parts})",
        *noted,
        f"for {part} in range({parts}):",
        f"    {cut.first}, {cut.last} = {trips}",
        *(_of_keys(cut, limits, part, parts, low_key, high_key) if cut.hulls else []),
        f"    if {cut.first} < {cut.last}:",
        *indented(indented(inner)).splitlines(),
        f"tell({ranks}, {PHASE}, {words})",
    ]
    header = f"@slave\ndef {name}({', '.join((ranks, parts, *tiled, *taken))}):\n"
    function = cst.ensure_type(cst.parse_statement(header + indented("\n".join(body))), cst.FunctionDef)
    comment = cst.EmptyLine(
        comment=cst.Comment(f"# phase {number}: the rows that the share of a rank touches, and writes")
    )
    return function.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]), taken


def _of_keys(cut: Cut, limits: str, part: str, parts: str, low_key: str, high_key: str) -> list[str]:
    """The lines that set the trips and keys of a part, where there are several."""
    hulls, count = cut.hulls, f"trips({limits})"
    return [
        f"    {low_key}, {high_key} = 0, {MOST}",
        f"    if {parts} > 1:",
        f"        {cut.first}, {cut.last} = {hulls}[{part}, 0], min({hulls}[{part}, 1], {count})",
        f"        {low_key}, {high_key} = {hulls}[{part}, 2], {hulls}[{part}, 3]",
    ]


def _is_narrow(kind: Type | None) -> bool:
    """Whether a number is none of the machine's words, which rows are counted with."""
    return isinstance(kind, ScalarType) and kind.kind in "iu" and kind.dtype != "int64"


def _variables(text: str) -> set[str]:
    """The names in an expression, functions and modules left out."""
    nodes = list(ast.walk(expression_of(text)))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    called |= {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and _name(n.value) in MODULES}
    return {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called}


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
