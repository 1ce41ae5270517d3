"""The master's statements for a phase: checks, the launch of its kernel, the end of its reductions."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.language.operators import OPERATORS
from somd.syntax import expression_of, module_of
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_taking import flag_name, flagged_in, taking_of
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Argument, Kernel
from somd.transforms.opencl.blocks import Blocks
from somd.transforms.opencl.host_code import HostCode
from somd.transforms.opencl.row_launches import HostRows, launched_with_rows
from somd.transforms.stages import FIRST, NEAR, Dim, Near, Nest, Reduction, Serial
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import names_read
from somd.transforms.types.scalars import ScalarType


def snapshots(copies: Mapping[str, str], run: str) -> list[cst.BaseStatement]:
    """`a_before = snapshot(run, a)`, for relaxed reads."""
    made = {copy: tree.call(tree.brought("snapshot"), tree.name(run), tree.name(a)) for a, copy in copies.items()}
    return [tree.assign(tree.name(copy), value) for copy, value in made.items()]


@dataclass(frozen=True)
class Shared:
    """The master's names for what all launches share: the run, the record of faults, the scalars on the device."""

    run: str
    faults: str
    kept: str
    names: Names
    #: by what is cut, the beginning of its names
    roots: dict[str, str] = field(default_factory=dict)

    def root(self, name: str) -> str:
        """What the names for the parts of `name` begin with: `row` of `row_ranges`, `row_owners`, `row_ends`."""
        if name not in self.roots:
            self.roots[name] = self.names.fresh_root(name, ("ranges", "owners", "ends"))
        return self.roots[name]

    def passed(self, argument: Argument) -> cst.BaseExpression | None:
        """What the master passes for an argument that any kernel may have; None for those of a phase."""
        kind, number = argument.kind, argument.number
        if kind == "array":
            return tree.name(argument.name)
        if kind == "kept":
            return tree.name(self.kept)
        if kind == "faults":
            return tree.name(self.faults)
        if kind == "turn":
            return tree.call(tree.attribute(self.faults, "turn"))
        if kind == "length" and number is not None:
            return tree.shape(argument.name, number)
        if kind != "scalar":
            return None
        value: cst.BaseExpression = tree.name(argument.name)
        if number is not None:
            value = tree.subscript(value, tree.integer(number))
        return value if argument.dtype == "int64" else tree.call(tree.dtype(argument.dtype), value)

    def kept_part(self, names: Iterable[str]) -> cst.BaseExpression:
        """`kept.part("total")`: those of the scalars on the device that a launch writes."""
        return tree.call(tree.attribute(self.kept, "part"), *(cst.SimpleString(f'"{name}"') for name in names))

    def once(self, step: Serial, kernel: Kernel, assigned: Sequence[str]) -> cst.BaseStatement:
        """The launch of a serial step that a kernel of one work-item runs, and that assigns these scalars."""
        arguments = [self.passed(a) for a in kernel.arguments]
        reads: list[cst.BaseExpression] = [tree.name(n) for n in step.arrays_read]
        writes: list[cst.BaseExpression] = [tree.name(n) for n in step.arrays_written]
        sides = {"reads": reads, "writes": [*writes, self.kept_part(assigned)] if assigned else writes}
        return tree.line(
            tree.call(
                tree.attribute(self.run, "launch"),
                cst.SimpleString(f'"{kernel.name}"'),
                tree.tuple_of([tree.integer(1)]),
                tree.tuple_of([argument for argument in arguments if argument is not None]),
                **{side: tree.tuple_of(arrays) for side, arrays in sides.items() if arrays},
            )
        )


def _is_told(kernel: Kernel) -> bool:
    """Whether a kernel is told how many iterations each of its groups runs."""
    return any(argument.kind == "tile" for argument in kernel.arguments)


class Launch:
    """Writes one phase; `names` are the master's, so that what is added clashes with nothing of the user's."""

    def __init__(
        self,
        nest: Nest,
        kernel: Kernel,
        code: HostCode,
        names: Names,
        shared: Shared,
        in_order: Kernel | None = None,
        ending: Kernel | None = None,
        grouped: tuple[Kernel, ...] = (),
        runs: Kernel | None = None,
        runs_name: str = "",
    ) -> None:
        self.nest = nest
        self.kernel = kernel
        self.in_order = in_order
        self.ending = ending
        self.by_groups = grouped
        self.runs, self.runs_name = runs, runs_name
        self.shared = shared
        self.code = code
        self.reduced_names = [name for r in nest.reductions for name in (r.name, *r.companions)]
        flags = [flag_name(reduction) for reduction in flagged_in(nest, code.types)]
        self.partials = {name: names.fresh(f"{name}_partials") for name in (*self.reduced_names, *nest.copies)}
        self.partials |= {flag: names.fresh(f"{flag.replace(' ', '_')}_partials") for flag in flags}
        self.flags = flags
        #: among how many lanes the trips of a block are dealt out
        self.dealt: cst.BaseExpression = tree.brought("LANES")
        #: what the names of ranges and owners begin with, where the phase cuts its own parts
        self.part = names.fresh_root("part", ("ranges", "owners")) if nest.copies else ""
        self.lanes = [names.fresh("lanes") for _ in grouped]
        #: how many iterations a group runs, where that is not known before
        self.tile = names.fresh("group_rows") if any(map(_is_told, grouped)) else ""
        self.rows = HostRows(nest, kernel, code, names)
        if self.rows:
            self.items = names.fresh("items")
        if nest.reductions or nest.combined or self.rows:
            wanted = ("blocks", "block_trips", "all_trips", "block")
            self.blocks, self.length, self.trips, self.block = (names.fresh(n) for n in wanted)

    def statements(self) -> list[cst.BaseStatement]:
        found = self.checks()
        if self.nest.relaxed is not None and self.nest.relaxed.fresh:
            found += snapshots(self.nest.relaxed.snapshots, self.code.run)
        found += [*self.launched(), *self.finished()]
        comments = self.nest.dims[0].node.leading_lines
        return [found[0].with_changes(leading_lines=comments), *found[1:]]

    def splits(self, limits: tuple[str, str], kept: frozenset[str]) -> list[cst.BaseStatement]:
        """How its launches may be cut for several devices; the arguments are those of `Blocks`."""
        blocks = Blocks(self.nest, self.code.run, limits, kept)
        if self.nest.reductions:
            found = [blocks.of_groups(self.kernel, self.length, tuple(self.partials.values()))]
        else:
            found = [blocks.of_items(self.kernel)]
        for kernel in self.by_groups:
            if kernel.columns == kernel.loops == 1 and not kernel.staged:
                found.append(blocks.of_groups(kernel, self.tile if _is_told(kernel) else str(kernel.rows)))
        return [statement for statement in found if statement is not None]

    def launched(self) -> list[cst.BaseStatement]:
        if self.nest.reductions:
            return self.grouped()
        found = self.launch()
        for lanes, kernel in zip(reversed(self.lanes), reversed(self.by_groups), strict=True):
            found = self.launch_by_groups(kernel, tree.name(lanes), found)
        return [*self.overwritten(), *found]

    def overwritten(self) -> list[cst.BaseStatement]:
        """`y.overwritten((n, m))` for what the master has filled, so that this is not done in vain."""
        shape = tree.tuple_of([self.extent(dim) for dim in self.nest.dims])
        names = [name for name in self.kernel.overwritten if name in self.code.filled]
        return [tree.line(tree.call(tree.attribute(name, "overwritten"), shape)) for name in names]

    def finished(self) -> list[cst.BaseStatement]:
        """What follows: the end of the reductions."""
        if self.ending is not None:
            return [self.ended(self.ending)]
        found: list[cst.BaseStatement] = []
        for reduction in self.nest.reductions:
            simple = not reduction.companions and taking_of(reduction, self._type(reduction.name).dtype) == FIRST
            found += [self.reduced(reduction)] if simple else self.extremum(reduction)
        return found

    def ended(self, ending: Kernel) -> cst.BaseStatement:
        """The end of the reductions on the device."""
        reads = tree.tuple_of([tree.name(name) for name in self.partials.values()])
        return tree.line(
            tree.call(
                tree.attribute(self.code.run, "launch_groups"),
                cst.SimpleString(f'"{ending.name}"'),
                tree.integer(1),
                tree.brought("LANES"),
                tree.tuple_of([self.passed(a) for a in ending.arguments]),
                reads=reads,
                writes=tree.tuple_of([self.shared.kept_part(self.reduced_names)]),
            )
        )

    def checks(self) -> list[cst.BaseStatement]:
        """The tests before the phase."""
        first, last = ([self.far(near)] if near is not None else [] for near in self.nest.near)
        return [*first, *(self.check(self.exact(c.condition), c.site.number) for c in self.nest.checks), *last]

    def far(self, near: Near) -> cst.BaseStatement:
        """The test of scalars that must not be far from 0."""
        tests = " and ".join(f"-{NEAR} <= {name} <= {NEAR}" for name in near.scalars)
        return self.check(f"not ({tests})", near.site.number)

    def exact(self, condition: str) -> str:
        """A condition with NumPy's integers, which wrap, made Python's, which do not."""
        strong = {
            name for name, kind in self.code.types.names.items() if isinstance(kind, ScalarType) and not kind.weak
        }

        class Exact(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.expr:
                return ast.Call(ast.Name("int"), [node], []) if node.id in strong else node

        if strong.isdisjoint(node.id for node in ast.walk(module_of(condition)) if isinstance(node, ast.Name)):
            return condition
        return ast.unparse(Exact().visit(expression_of(condition)))

    def in_order_test(self) -> cst.BaseExpression:
        """Whether a negative index may make iterations meet."""
        return cst.parse_expression(" or ".join(f"({self.exact(text)})" for text in self.nest.in_order_if))

    def check(self, condition: str, site: int) -> cst.BaseStatement:
        row = tree.subscript(tree.brought("SITES"), tree.integer(site))
        return cst.If(
            cst.parse_expression(condition),
            tree.block([tree.line(cst.Raise(tree.call(tree.brought("index_error"), row, tree.name("None"))))]),
        )

    def launch(self) -> list[cst.BaseStatement]:
        if any(a.kind == "owner_count" for a in self.kernel.arguments):
            parts = self.with_rows(self.owner_count())
            return parts if self.runs is None else [self.launch_runs(self.runs, parts)]
        launched = self.in_turns() if self.rows else [self._call("launch", tree.tuple_of(self.sizes()))]
        if self.in_order is None:
            return launched
        usual, self.kernel = self.kernel, self.in_order
        alone = self.with_rows(self.owner_count())
        self.kernel = usual
        return [cst.If(self.in_order_test(), tree.block(alone), cst.Else(tree.block(launched)))]

    def sizes(self) -> list[cst.BaseExpression]:
        return [self.extent(self.nest.dims[number]) for number in self.kernel.order]

    def with_rows(self, items: cst.BaseExpression) -> list[cst.BaseStatement]:
        """A launch of so many work-items, each with its own rows where the kernel needs them."""
        return [*self.rows.assigned, *self.rows.made(items), self._call("launch", tree.tuple_of([items]))]

    def in_turns(self) -> list[cst.BaseStatement]:
        """A launch of work-items that take iterations in turns, since each needs rows of its own."""
        code, items, count = cst.Module([]).code_for_node, tree.name(self.items), tree.name(self.trips)
        extents = " * ".join(code(self.extent(dim, exact=True)) for dim in self.nest.dims)
        chosen = tree.call(tree.brought("work_items"), tree.name(self.code.run), count, self.rows.nbytes())
        return [
            *self.rows.assigned,
            tree.assign(count, cst.parse_expression(extents)),
            tree.assign(items, chosen),
            *self.rows.made(items),
            self._call("launch", tree.tuple_of([items])),
        ]

    def launch_runs(self, kernel: Kernel, otherwise: Sequence[cst.BaseStatement]) -> cst.BaseStatement:
        """`if row_runs.groups:` work-groups that share out the terms of their parts; else a work-item a part."""
        launched = self._launch_of(kernel, *(tree.attribute(self.runs_name, part) for part in ("groups", "lanes")))
        test = tree.attribute(self.runs_name, "groups")
        return cst.If(test, tree.block([launched]), cst.Else(tree.block(otherwise)))

    def launch_by_groups(
        self, kernel: Kernel, lanes: cst.Name, otherwise: Sequence[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        """A work-group for an iteration, or for the rows of a tile, where that pays; else what is done `otherwise`."""
        if kernel.staged:
            count, tile = self.extent(self.nest.dims[0], exact=True), tree.name(self.tile)
            sizes = tree.call(tree.brought("tiles"), count, tile), tree.attribute(lanes, "lanes")
            launched, trips = self._launch_of(kernel, *sizes), (count, self.inner_trips(kernel.shared_out))
            return launched_with_rows(kernel, self.code.run, trips, (lanes, tile), launched, otherwise)
        count, has_finer = self.extent(self.nest.dims[0], exact=True), kernel is not self.by_groups[-1]
        across = self.extent(self.nest.dims[1], exact=True) if kernel.loops > 1 else None
        if across is not None:
            count = cst.BinaryOperation(count, cst.Multiply(), across)
        rows = tree.name(self.tile) if _is_told(kernel) else tree.integer(kernel.rows)
        groups = tree.call(tree.brought("tiles"), count, rows) if kernel.rows > 1 else count
        function, asked = "lanes", [count, self.inner_trips(kernel.shared_out)]
        if kernel.columns > 1:
            extent = self.extent(self.nest.dims[1], exact=True)
            columns = tree.call(tree.brought("tiles"), extent, tree.integer(kernel.columns))
            groups = cst.BinaryOperation(groups, cst.Multiply(), columns)
            if kernel.folded:
                groups = tree.call(tree.brought("folded"), columns, tree.integer(kernel.columns // kernel.rows))
        if kernel.short:
            widths = [tree.shape(array, axis) for array, axis in kernel.short]
            function, asked = "short_lanes", [tree.integer(kernel.lanes), tree.integer(kernel.widest), *widths]
        elif kernel.columns > 1:
            function, asked = "packed_lanes", [tree.integer(kernel.lanes), groups]
            asked += [cst.Name("True")] if has_finer else []
        elif kernel.lanes:
            function, asked = ("tile_lanes", asked) if kernel.shared_out else ("striped_lanes", [])
            asked = [*asked, tree.integer(kernel.lanes)]
            if kernel.chained:
                function = "chained_lanes"
            elif has_finer:
                asked.append(tree.integer(kernel.rows))
        told = {} if across is None else {"across": across}
        told |= {"groups": groups} if kernel.short and has_finer else {}
        chosen = tree.call(
            tree.attribute(self.code.run, function), cst.SimpleString(f'"{kernel.name}"'), *asked, **told
        )
        launched = self._launch_of(kernel, groups, lanes)
        known: list[cst.BaseStatement] = []
        if _is_told(kernel):
            told_rows = tree.call(tree.attribute(self.code.run, "group_rows"), count, tree.integer(kernel.rows))
            known = [tree.assign(tree.name(self.tile), told_rows)]
        grouped = tree.block([*known, launched])
        return [tree.assign(lanes, chosen), cst.If(lanes, grouped, cst.Else(tree.block(otherwise)))]

    def inner_trips(self, loops: Sequence[cst.For]) -> cst.BaseExpression:
        """The trips of the first loop inside whose number is the same in each iteration; None where there is none."""
        known = {*self.nest.scalars, *self.nest.arrays}
        for loop in loops:
            header = range_of(loop)
            step = None if header is None else integer_constant(header.step, self.code.method)
            if header is None or step is None:
                continue
            if names_read(loop.iter) & self.code.method.local_names <= known:
                return tree.call(
                    tree.brought("trips"), self.limit(header.start), self.limit(header.stop), tree.integer(step)
                )
        return tree.name("None")

    def owner_count(self) -> cst.BaseExpression:
        ends = any(a.kind == "ends" for a in self.kernel.arguments)
        return cst.parse_expression(f"{self._root()}_{'ends' if ends else 'owners'}.shape[0] - 1")

    def _root(self) -> str:
        return self.shared.root("all" if self.in_order is not None else str(self.nest.partition))

    def grouped(self) -> list[cst.BaseStatement]:
        alone = len(self.nest.dims) == 1
        quantum = tree.brought("LANES") if alone else tree.integer(1)
        pair = cst.Tuple([cst.Element(tree.name(n)) for n in (self.blocks, self.length)], lpar=[], rpar=[])
        count = tree.name(self.trips)
        found: list[cst.BaseStatement] = [
            tree.assign(count, self.extent(self.nest.dims[0], exact=True)),
            tree.assign(pair, tree.call(tree.brought("logical_blocks"), count, quantum)),
        ]
        found += self.partial_results() if self.ending is None else []
        if self.rows:
            items = cst.BinaryOperation(tree.name(self.blocks), cst.Multiply(), tree.brought("LANES"))
            found += [*self.rows.assigned, *self.rows.made(items)]
        return [*found, *self.launch_blocks()]

    def launch_blocks(self) -> list[cst.BaseStatement]:
        """A work-group for each block; once more, with one lane, where lanes met what only one of them can tell. With
        one lane at once where an iteration may not be run twice."""
        sizes = tree.name(self.blocks), tree.brought("LANES")
        kinds = {reduction.name: self._type(reduction.name).dtype for reduction in self.nest.reductions}
        asked = [r for r in self.nest.reductions if taking_of(r, kinds[r.name]).unordered]
        if asked and self.nest.arrays_written:
            self.dealt = tree.integer(1)
        launched = [self._call("launch_groups", *sizes)]
        if not asked or self.nest.arrays_written:
            return launched
        tests: list[cst.BaseExpression] = [tree.call(tree.attribute(self._on_host(flag_name(r)), "any")) for r in asked]
        test = functools.reduce(lambda one, other: cst.BooleanOperation(one, cst.Or(), other), tests)
        usual, self.dealt = self.dealt, tree.integer(1)
        again = self._call("launch_groups", *sizes)
        self.dealt = usual
        return [*launched, cst.If(test, tree.block([again]))]

    def partial_results(self) -> list[cst.BaseStatement]:
        """Room for the partial results of scalars; for as many as there may be where it is made before a loop."""
        found: list[cst.BaseStatement] = []
        count = tree.name(self.blocks) if self.ending is None else tree.brought("BLOCKS")
        for name in self.reduced_names:
            dtype = tree.dtype(self._type(name).dtype)
            made = tree.call(tree.attribute(self.code.run, "empty"), count, dtype)
            found.append(tree.assign(tree.name(self.partials[name]), made))
        for flag in self.flags:
            made = tree.call(tree.attribute(self.code.run, "empty"), count, tree.dtype("bool"))
            found.append(tree.assign(tree.name(self.partials[flag]), made))
        return found

    def reads(self) -> list[str]:
        """The arrays that the kernel reads."""
        return list(self.nest.arrays_read)

    def writes(self) -> list[str]:
        """The arrays that the kernel writes, partial results among them."""
        return [*self.nest.arrays_written, *self.partials.values()]

    def _launch_of(self, kernel: Kernel, *sizes: cst.BaseExpression) -> cst.BaseStatement:
        """The launch of so many groups of a kernel that is not the usual one."""
        usual, self.kernel = self.kernel, kernel
        launched = self._call("launch_groups", *sizes)
        self.kernel = usual
        return launched

    def _call(self, method: str, *sizes: cst.BaseExpression) -> cst.BaseStatement:
        arguments = tree.tuple_of([self.passed(a) for a in self.kernel.arguments])
        unread = self.nest.partition if self.kernel is self.runs else None  # the keys of parts stand for it
        reads: list[cst.BaseExpression] = [tree.name(n) for n in self.reads() if n != unread]
        copies = set() if self.nest.relaxed is None else set(self.nest.relaxed.snapshots.values())
        reads += [tree.name(a.name) for a in self.kernel.arguments if a.kind == "array" and a.name in copies]
        kinds = {a.kind for a in self.kernel.arguments}
        reads += [tree.name(f"{self._root()}_{kind}") for kind in ("ranges", "owners", "ends") if kind in kinds]
        if "run_ends" in kinds:
            reads += [tree.attribute(self.runs_name, part) for part in ("ends", "keys")]
        writes = [tree.name(n) for n in self.writes()]
        kernel = cst.SimpleString(f'"{self.kernel.name}"')
        sides = {"reads": tree.tuple_of(reads)} if reads else {}
        sides |= {"writes": tree.tuple_of(writes)} if writes else {}
        return tree.line(tree.call(tree.attribute(self.code.run, method), kernel, *sizes, arguments, **sides))

    def extent(self, dim: Dim, exact: bool = False) -> cst.BaseExpression:
        """The trips of a dimension: for one that depends on outer variables, at most so many."""
        if not dim.invariant:
            low, high = cst.parse_expression(dim.low), cst.parse_expression(dim.high)
            return tree.call(tree.brought("trips_between"), low, high, tree.integer(abs(dim.step)))
        start, stop = self.limit(dim.start), self.limit(dim.stop)
        if not exact and dim.step == 1 and integer_constant(dim.start, self.code.method) == 0:
            return stop
        return tree.call(tree.brought("trips"), start, stop, tree.integer(dim.step))

    def limit(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A bound of a loop, as a Python int where NumPy has it narrower than the kernel."""
        value, found = self.code.expression(node), self.code.types.nodes.get(node)
        narrow = isinstance(found, ScalarType) and found.dtype != "int64"
        return tree.call(tree.brought("int"), value) if narrow else value

    def passed(self, argument: Argument) -> cst.BaseExpression:
        """What the master passes for an argument."""
        kind, number = argument.kind, argument.number
        known = self.rows.passed(argument) or self.shared.passed(argument)
        if known is not None:
            return known
        if kind == "tile":
            return tree.name(self.tile)
        if kind == "pool":  # the room that has been chosen for this kernel, by the name of its work-items
            return tree.name(self.lanes[self.by_groups.index(self.kernel)])
        if kind == "items":
            return tree.name(self.items)
        if kind == "partials":
            return tree.name(self.partials[argument.name])
        if kind == "blocks":
            return tree.name(self.blocks)
        if kind == "dealt":
            return self.dealt
        if kind in ("run_ends", "run_keys", "run_count"):
            return tree.attribute(self.runs_name, kind.removeprefix("run_"))
        if kind in ("ranges", "owners", "ends"):
            return tree.name(f"{self._root()}_{kind}")
        if kind == "owner_count":
            return self.owner_count()
        if kind == "block":
            return tree.name(self.length)
        if kind == "trips":
            return tree.name(self.trips)
        assert number is not None
        dim = self.nest.dims[number]
        if kind == "extent":
            return self.extent(dim, exact=True)
        return self.limit(dim.start if kind == "start" else dim.stop)

    def reduced(self, reduction: Reduction) -> cst.BaseStatement:
        """`total = reduce_sum(total, total_partials.to_host())`"""
        name = tree.name(reduction.name)
        operator = OPERATORS[reduction.op].of_kind(self._type(reduction.name).kind)
        result = tree.call(tree.brought(f"reduce_{operator.word}"), name, self._on_host(reduction.name))
        return tree.assign(name, self._of_type(result, reduction.name))

    def extremum(self, reduction: Reduction) -> list[cst.BaseStatement]:
        """A minimum or maximum with what is set together with it: all from the same block."""
        taking, block = taking_of(reduction, self._type(reduction.name).dtype), tree.name(self.block)
        rule = "unordered" if taking.unordered else "last" if taking.equal else "first"
        function = tree.brought(f"{rule}_{'least' if OPERATORS[reduction.op].better == '<' else 'greatest'}")
        given = [tree.name(reduction.name), self._on_host(reduction.name)]
        given += [self._on_host(flag_name(reduction))] if flag_name(reduction) in self.flags else []
        given += [cst.Name(str(taking.equal))] if taking.unordered else []
        chosen = tree.call(function, *given)
        names = (reduction.name, *reduction.companions)
        values = [self._of_type(tree.subscript(self._on_host(n), block), n) for n in names]
        sets = [tree.assign(tree.name(n), value) for n, value in zip(names, values, strict=True)]
        test = cst.Comparison(block, [cst.ComparisonTarget(cst.GreaterThanEqual(), tree.integer(0))])
        return [tree.assign(block, chosen), cst.If(test, tree.block(sets))]

    def _on_host(self, name: str) -> cst.BaseExpression:
        return tree.call(tree.attribute(self.partials[name], "to_host"))

    def _of_type(self, value: cst.BaseExpression, name: str) -> cst.BaseExpression:
        """A partial result as the Python number that the variable holds."""
        found = self._type(name)
        return tree.call(tree.python_type(found.kind), value) if found.weak else value

    def _type(self, name: str) -> ScalarType:
        found = self.code.types.names[name]
        assert isinstance(found, ScalarType)
        return found
