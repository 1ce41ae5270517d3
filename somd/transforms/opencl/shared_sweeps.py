"""Trips along rows of local memory that a team of work-items shares out (`staged_rows`), a word of each row at a time.

for k: out[r, k] = exp(x[r, k] - largest)
->
for (piece = own; piece < whole; piece += team) {
    const float4 word_0 = ((__local float4 *)x_row)[piece];
    now[0] = word_0.s0; ...
    #pragma unroll
    for (column = 0; column < 4; column++) next[column] = exp(now[column] - largest);
    ((__local float4 *)out_row)[piece] = (float4)(next[0], ...);
}
for (k = whole * 4 + own; ...)      what is left, element by element

Arrays that a loop reads at its variable and nobody writes are read so too, where the row begins at a word, and so are
stored those elements that no later loop stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned, read_in
from somd.transforms.loops.making import whole_number
from somd.transforms.loops.program import Assign, Element, Proved, Region, Statement, Store
from somd.transforms.loops.walking import expressions, expressions_in, inside, reads_elements, statements_in
from somd.transforms.loops.work import operations
from somd.transforms.opencl.cut_loops import SIZES
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.staged_rows import StagedRows, Sweep, always_read
from somd.transforms.opencl.striped import Key, key_of
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.opencl.words import WORD, Words
from somd.transforms.stages import Nest

#: trips of a work-item that are under way
AT_ONCE = 8


class SharedSweeps(RowGroups):
    """Writes the ways along rows that teams share out: each work-item has its `own` number in its `team`."""

    def __init__(self, found: StagedRows, rows: int, nest: Nest, region: Region, unit: Unit) -> None:
        self.loops = [part.loop for part in found.parts if isinstance(part, Sweep)]
        super().__init__(self.loops[0], rows, nest, region, unit)
        self.found, self.unit = found, unit
        fresh = self.scope.names.fresh
        self.team, self.own = fresh("team"), fresh("own")
        self.texts: dict[Key, str] = {key: fresh(f"{self.scope.names.of(key[0])}_row") for key in found.rows}
        self.terms = {name: fresh("term_row") for name in found.terms}

    def lies(self, nodes: Sequence[Statement]) -> dict[Element, str]:
        """Where elements lie that statements touch."""
        found: dict[Element, str] = {}
        for node in expressions_in(tuple(nodes)):
            if isinstance(node, Element) and isinstance(node.access, Proved) and key_of(node) in self.texts:
                found[node] = ""
        return self.placed(found)

    def placed(self, nodes: Sequence[Element] | dict[Element, str]) -> dict[Element, str]:
        # the text of an index may read another row, which has to lie where it does by then
        return {node: f"{self.texts[key_of(node)]}[{self.write.value(node.indices[-1]).loose}]" for node in nodes}

    # --- sweeps ---

    def shared(self, number: int, sweep: Sweep) -> None:
        """A way along the row that its team shares out."""
        write, scope, terms = self.write, self.scope, [node for _, node in sweep.terms]
        scope.staged.update(self.lies(sweep.body) | self.placed([e for e in sweep.reckoned if self.has(e)]))  # type: ignore[misc]
        with write.braces(f"if ({self.active})"):
            variable = scope.text_of(sweep.loop.variable.name)
            start, stop = write.value(sweep.loop.start), write.value(sweep.loop.stop)
            first = self.own if start.value == 0 else f"({start.text}) + {self.own}"
            limit = stop.loose if stop.level > 10 else f"({stop.text})"
            along = self.rows_along(sweep)
            columns = max((row.columns for row in along.values()), default=0)
            work = operations(sweep.body, self.unit.by_name) + 4 * len(terms)
            if start.value == 0 and columns > 1 and unroll_lines(columns, work) == [f"#pragma unroll {columns}"]:
                first = f"{self.by_words(number, sweep, along, columns)} * {columns} + {self.own}"
            else:
                write.lines += unroll_lines(AT_ONCE, work)
            with write.braces(f"for (long {variable} = {first}; {variable} < {limit}; {variable} += {self.team})"):
                kept = self.trip_with_terms(sweep)
                for name, text in kept.items():
                    write.line(f"{self.terms[name]}[{variable}] = {text};")
                self.store(number, sweep)
        scope.staged.clear()

    def trip_with_terms(self, sweep: Sweep) -> dict[str, str]:
        """A trip, and the values of its terms."""
        write, kept = self.write, {}
        write.loops += 1
        write.block(sweep.body)
        write.loops -= 1
        for term, node in sweep.terms:
            kept[term.name] = self.scope.names.fresh("term")
            write.line(f"const {CTYPES[term.type.dtype]} {kept[term.name]} = {write.value(node).loose};")
        return kept

    def rows_along(self, sweep: Sweep) -> dict[Key | str, Words]:
        """The rows that every trip touches at the loop's variable, and its terms; none where a trip touches something
        else there."""
        found: dict[Key | str, Words] = {}
        variable, changed = sweep.loop.variable, assigned(sweep.body) | {sweep.loop.variable.name}
        sure = {*always_read((*sweep.body, *(Assign(term, node) for term, node in sweep.terms)))}
        always = {key_of(each) for each in sure if each.indices[-1] == variable}
        for each in sweep.reckoned:
            if not isinstance(each, Element) or variable.name not in read_in(each):
                continue
            key, dtype = key_of(each), np.dtype(each.type.dtype)
            known = each.indices[-1] == variable and key in always and not any(map(reads_elements, each.indices))
            if not known or not isinstance(each.access, Proved) or each.relaxed is not None:
                return {}
            if self.has(each):
                found[key] = Words(self.texts[key], each.type.dtype)
                continue
            steady = not any(read_in(index) & changed for index in each.indices[:-1])
            mine = each.array in self.region.arrays and each.array not in self.region.written
            if not (steady and mine and dtype.kind in "iuf" and dtype.itemsize in SIZES):
                return {}
            found[key] = Words(found[key].begin if key in found else "", each.type.dtype, "__global const")
        for term, _ in sweep.terms:
            found[term.name] = Words(self.terms[term.name], term.type.dtype)
        return found

    def by_words(self, number: int, sweep: Sweep, along: dict[Key | str, Words], columns: int) -> str:
        """The trips of whole words of rows, so many `columns` each; gives how many of these there are, in C."""
        write, scope, fresh = self.write, self.scope, self.scope.names.fresh
        variable, stop = scope.text_of(sweep.loop.variable.name), write.value(sweep.loop.stop)
        whole, piece, column = (fresh(n) for n in ("whole", "piece", "column"))
        write.line(f"const long {whole} = max(0L, (long)({stop.text}) / {columns});")
        stores = {key_of(node.element): node.element for node in sweep.body if isinstance(node, Store)}
        ends = {key: element for key, element in stores.items() if (number, key) in self.found.last}
        arrays = {key: Words(fresh("begin"), element.type.dtype, "__global") for key, element in ends.items()}
        for key, element in ends.items():
            self.begin_of(element, CTYPES[element.type.dtype], arrays[key].begin)
        elements = dict(scope.staged)
        for each in sweep.reckoned:
            if isinstance(each, Element) and key_of(each) in along and not self.has(each):
                elements[each] = ""
                if not along[key_of(each)].begin:
                    words = along[key_of(each)] = replace(along[key_of(each)], begin=fresh("begin"))
                    self.begin_of(each, f"const {CTYPES[words.dtype]}", words.begin)
        work = columns * (operations(sweep.body, self.unit.by_name) + 4 * len(sweep.terms))
        write.lines += unroll_lines(AT_ONCE // columns, work)
        with write.braces(f"for (long {piece} = {self.own}; {piece} < {whole}; {piece} += {self.team})"):
            registers = {row: fresh("now") for row in along}
            for row, words in along.items():
                write.line(f"{CTYPES[words.dtype]} {registers[row]}[{columns}];")
                if words.space != "__local":
                    self.whole_or_not(words, registers[row], piece, columns, loads=True)
                elif not isinstance(row, str) and self.is_read(sweep, row):
                    words.load(write, registers[row], _word(piece, words, columns), columns)
            for each in elements:
                if isinstance(each, Element) and sweep.loop.variable.name in read_in(each):
                    scope.staged[each] = f"{registers[key_of(each)]}[{column}]"
            write.lines.append("#pragma unroll")
            with write.braces(f"for (int {column} = 0; {column} < {columns}; {column}++)"):
                write.line(f"const long {variable} = {piece} * {columns} + {column};")
                for name, text in self.trip_with_terms(sweep).items():
                    write.line(f"{registers[name]}[{column}] = {text};")
            for row, words in along.items():
                if isinstance(row, str) or (row in stores and self.is_asked_for(number, row)):
                    words.store(write, registers[row], _word(piece, words, columns), columns)
            for key in ends:
                self.whole_or_not(arrays[key], registers[key], piece, columns, loads=False)
        scope.staged.clear()
        scope.staged.update({node: text for node, text in elements.items() if text})
        return whole

    def whole_or_not(self, words: Words, register: str, piece: str, columns: int, *, loads: bool) -> None:
        """A piece of a row of an array, by words if the row begins at one."""
        write = self.write
        with write.braces(f"if (((ulong){words.begin} & {WORD - 1}) == 0)"):
            (words.load if loads else words.store)(write, register, _word(piece, words, columns), columns)
        with write.otherwise():
            for k in range(columns):
                here, there = f"{register}[{k}]", f"{words.begin}[{piece} * {columns} + {k}]"
                write.line(f"{here} = {there};" if loads else f"{there} = {here};")

    def is_read(self, sweep: Sweep, key: Key) -> bool:
        """Whether a trip reads an element of a row, or may leave it as it was."""
        for node in sweep.body:
            tops = [each for one in statements_in((node,)) for top in expressions(one) for each in inside(top)]
            if any(isinstance(each, Element) and key_of(each) == key for each in tops):
                return True
            if isinstance(node, Store) and key_of(node.element) == key:
                return False
        return True

    def is_asked_for(self, number: int, key: Key) -> bool:
        """Whether a later part touches a row."""
        later = (
            part.reckoned if isinstance(part, Sweep) else expressions_in(part)
            for part in self.found.parts[number + 1 :]
        )
        return any(isinstance(e, Element) and self.has(e) and key_of(e) == key for part in later for e in part)

    def has(self, node: object) -> bool:
        return isinstance(node, Element) and isinstance(node.access, Proved) and key_of(node) in self.texts

    def store(self, number: int, sweep: Sweep) -> None:
        """What a trip has stored in rows that no later loop stores, into the arrays."""
        for node in sweep.body:
            if isinstance(node, Store) and (number, key_of(node.element)) in self.found.last:
                place = self.write.expressions.flat_index(node.element)
                array, row = self.scope.array(node.element.array), self.scope.staged[node.element]
                self.write.line(f"{array}[{place}] = {row};")

    def begin_of(self, element: Element, kind: str, begin: str) -> None:
        """Declares where the row of an element begins in its array."""
        array, row = self.scope.array(element.array), replace(element, indices=(*element.indices[:-1], whole_number(0)))
        place = self.write.expressions.flat_index(row)
        self.write.line(f"__global {kind} *const {begin} = (__global {kind} *)&{array}[{place}];")


def _word(piece: str, words: Words, columns: int) -> str:
    """The number of the first word of a piece of so many columns."""
    return piece if words.columns == columns else f"{piece} * {columns // words.columns}"
