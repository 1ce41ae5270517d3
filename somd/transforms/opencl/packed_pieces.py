"""What a group with a tile of sums reads, a piece of the loop at a time: by way of registers into local memory.

    A_next = *(float4 *)A_from            the next piece, asked for before it is needed, if it begins at a word
    A_tile[side][step][row] = A_next[..]  one side, while the other is read
    A_now[row .. row + 4] = words of A_tile[side][step]

`packed_kernels.py` writes what is done with that. Pieces that are not whole, and those of tiles at an edge, are loaded
element by element, each if it is there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Element, Packed, Proved, Region
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.symmetric_sums import are_symmetric
from somd.transforms.loops.walking import reads_elements
from somd.transforms.opencl.arguments import Argument
from somd.transforms.opencl.kernels import own_variables, scope_of
from somd.transforms.opencl.ranges import CRange
from somd.transforms.stages import Nest


@dataclass(frozen=True)
class Shape:
    """Work-items of a group along the rows and the columns of its tile, and trips of the loop in a piece: as many as
    there is memory for. `finer` is how many times as many tiles there are along rows, and along columns; or a work-item
    has so many `sums` along each. With two `sides` the next piece is stored while one is read; with one side pieces may
    be twice as deep."""

    down: int
    across: int
    depths: tuple[int, ...]
    finer: int = 1
    sums: int = 0
    sides: int = 2

    @property
    def lanes(self) -> int:
        return self.down * self.across

    def of(self, packed: Packed) -> Packed:
        """The packed region with tiles of this shape."""
        if self.sums:
            return replace(packed, rows=self.sums * self.down, columns=self.sums * self.across)
        return replace(packed, rows=packed.rows // self.finer, columns=packed.columns // self.finer)


#: bytes of a word of memory, of all banks of local memory side by side, and of local memory that each device has
WORD, BANKS, MOST_LOCAL = 16, 128, 1 << 15


@dataclass(frozen=True)
class Staged:
    """An element that is read in each trip: chosen by the row, by the column, or by neither (`lead` is then 1), and
    whether neighbouring ones along the loop lie side by side, and not those of neighbouring rows or columns."""

    element: Element
    by: str
    lead: int
    along: bool

    @property
    def dtype(self) -> str:
        return self.element.type.dtype

    @property
    def size(self) -> int:
        return np.dtype(self.dtype).itemsize


class Pieces:
    def __init__(
        self, packed: Packed, reads: list[Staged], shape: Shape, depth: int, nest: Nest, region: Region, unit: Unit
    ) -> None:
        self.packed, self.reads, self.shape, self.depth, self.region = packed, reads, shape, depth, region
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = Statements(self.scope, unit, self.declared)
        fresh = self.scope.names.fresh
        self.variable = self.scope.text_of(packed.loop.variable.name)
        self.lane, self.across, self.slot, self.side, self.step, self.whole = (
            fresh(n) for n in ("lane", "across", "slot", "side", "step", "whole")
        )
        self.word, self.part = fresh("word"), fresh("part")
        if shape.sides == 1:
            self.side = "0"
        self.row, self.column, self.sums = (fresh(n) for n in ("row", "column", "sums"))
        self.at, self.start, self.stop = (fresh(f"{self.variable}_{part}") for part in ("tile", "start", "stop"))
        self.first = {"row": fresh("first_row"), "column": fresh("first_column")}
        names = {each: self.scope.array(each.element.array) for each in reads}
        self.tiles, self.next, self.now, self.from_ = (
            {each: fresh(f"{name}_{part}") for each, name in names.items()} for part in ("tile", "next", "now", "from")
        )
        self.places: dict[str, CRange] = {}
        self.bounds: list[Argument] = []
        #: whether only tiles with sums at or above the diagonal have a group
        self.folded = are_symmetric(packed, region) and packed.columns % packed.rows == 0
        #: the sums of a work-item in a row of them, and in a column
        self.rows, self.columns = packed.rows // shape.down, packed.columns // shape.across
        #: the elements of a word that the sums of a work-item lie beside each other for
        most = WORD // np.dtype(packed.sum.target.type.dtype).itemsize
        self.words = {"row": gcd(most, self.rows), "column": gcd(most, self.columns), "": 1}
        #: which of the work-items along a side one is
        self.lanes = {"row": f"{self.lane} / {shape.across}", "column": f"{self.lane} % {shape.across}"}
        self.strides = {"row": shape.down, "column": shape.across}

    @property
    def bytes(self) -> int:
        """The local memory of a group."""
        return self.shape.sides * self.depth * sum(each.size * self.width(each) for each in self.reads)

    def turned(self, each: Staged) -> int:
        """How far elements of later steps lie from where they would: what neighbours store, which have several steps of
        some rows, lies in all banks so. The places of a step are those of all steps, each an exclusive or apart."""
        steps, banks = self.depth // self.together(each), BANKS // each.size
        fits = each.along and 1 < steps <= banks // self.words[each.by] and each.lead % banks == 0
        return banks // steps if fits else 0

    def width(self, each: Staged) -> int:
        """The elements of a step in local memory: a word more where neighbours would store them in one bank else."""
        more = each.along and each.lead > 1 and not self.turned(each)
        return each.lead + self.words[each.by] * more

    def kind(self, each: Staged) -> str:
        return CTYPES[each.dtype]

    def together(self, each: Staged) -> int:
        """How many elements beside each other a work-item loads at once: so many that all load equally often."""
        together = gcd(WORD // each.size, self.depth if each.along else each.lead)
        while each.lead * self.depth // together % self.shape.lanes and together > 1:
            together //= 2
        return together

    def loads(self, each: Staged) -> int:
        """How often a work-item loads for a piece."""
        return -(-each.lead * self.depth // (self.together(each) * self.shape.lanes))

    def slots(self, each: Staged) -> tuple[str, str]:
        """Opens the loop over what a work-item loads of an element; the row or column of what it loads first, and its
        step."""
        write = self.write
        write.lines.append("#pragma unroll")
        write.open(f"for (int load = 0; load < {self.loads(each)}; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * {self.shape.lanes};")
        together = self.together(each)
        length = (self.depth if each.along else each.lead) // together
        along, across = f"{self.slot} % {length}{f' * {together}' if together > 1 else ''}", f"{self.slot} / {length}"
        return (across, along) if each.along else (along, across)

    def whole_tile(self) -> None:
        """Up to where a piece may begin that is whole, in a tile all of whose rows and columns are inside the nest: the
        last ones are."""
        write = self.write
        write.line(f"long {self.whole};")
        write.open()
        for by, length in (("row", self.packed.rows), ("column", self.packed.columns)):
            place = self.places[by]
            trip = C(f"({self.first[by]} + {length - 1})", "int64")
            write.line(f"const long {place.variable} = {place.value(trip)};")
        write.line(f"{self.whole} = {self.is_inside} ? {self.stop} - {self.depth} : {self.start} - 1;")
        write.close()

    @property
    def is_inside(self) -> str:
        return " && ".join(each.inside() for each in self.places.values())

    def fetch(self, at: str) -> None:
        """The elements of the piece at `at` into registers: of a whole one in a whole tile without tests."""
        write = self.write
        write.open(f"if ({at} <= {self.whole})")
        self.fetch_each(at, tested=False)
        write.close(f"}} else if ({at} < {self.stop}) {{")
        write.depth += 1
        self.fetch_each(at, tested=True)
        write.close()

    def aim(self, at: str) -> None:
        """Where the elements of the piece at `at` begin that lie beside each other, before they are asked for: between
        sums no work-item waits for that."""
        for each in filter(self.is_beside, self.reads):
            lead, step = self.slots(each)
            self.at_place(each, at, lead, step)
            self.write.line(f"{self.from_[each]}[load] = &{self.write.value(each.element).text};")
            self.write.close()

    def fetch_each(self, at: str, tested: bool) -> None:
        write = self.write
        for each in self.reads:
            lead, step = self.slots(each)
            if few := self.is_slot(each):
                write.open(f"if ({few})")
            if not tested and self.is_beside(each):
                self.fetch_word(each)
            else:
                self.fetch_one_by_one(each, at, lead, step, tested)
            if few:
                write.close()
            write.close()

    def is_slot(self, each: Staged) -> str:
        """Whether there is a slot, where work-items are more."""
        count = each.lead * self.depth // self.together(each)
        return f"{self.slot} < {count}" if count % self.shape.lanes else ""

    def is_beside(self, each: Staged) -> bool:
        """Whether what a work-item loads at once lies beside each other in memory."""
        *others, last = each.element.indices
        variable = self.packed.loop.variable if each.along else self.region.loops[each.by == "column"].variable
        steps = each.along or self.places[each.by].step == 1
        moves = moves_with(last, variable.name) and not any(variable.name in read_in(index) for index in others)
        moves = moves and not any(map(reads_elements, others))
        known = isinstance(each.element.access, Proved) and each.element.relaxed is None
        return self.together(each) > 1 and steps and moves and known and each.dtype != "bool"

    def at_place(self, each: Staged, at: str, lead: str, step: str) -> None:
        """The variables at which an element is loaded."""
        self.write.line(f"const long {self.variable} = {at} + {step};")
        if each.by:
            place, trip = self.places[each.by], C(f"({self.first[each.by]} + {lead})", "int64")
            self.write.line(f"const long {place.variable} = {place.value(trip)};")

    def fetch_word(self, each: Staged) -> None:
        """Elements that lie beside each other, at once where they begin at a word."""
        write, together = self.write, self.together(each)
        kind, word, begin = f"{self.kind(each)}{together}", self.word, f"{self.from_[each]}[load]"
        write.open(f"if ((size_t){begin} % sizeof({kind}) == 0)")
        write.line(f"const {kind} {word} = *(__global const {kind} *){begin};")
        for part in range(together):
            write.line(f"{self.next[each]}[load * {together} + {part}] = {word}.s{part:x};")
        write.close("} else {")
        write.depth += 1
        for part in range(together):
            write.line(f"{self.next[each]}[load * {together} + {part}] = {begin}[{part}];")
        write.close()

    def fetch_one_by_one(self, each: Staged, at: str, lead: str, step: str, tested: bool) -> None:
        write, together, part = self.write, self.together(each), ""
        if together > 1:
            part = f" + {self.part}"
            write.lines.append("#pragma unroll")
            write.open(f"for (int {self.part} = 0; {self.part} < {together}; {self.part}++)")
        self.at_place(each, at, lead + part * (not each.along), step + part * each.along)
        tests = [self.places[each.by].inside()] if each.by and tested else []
        tests += [f"{self.variable} < {self.stop}"] if tested else []
        value = write.value(each.element)
        chosen = f"{' && '.join(tests)} ? {value.text} : {zero(value.dtype)}" if tests else value.text
        write.line(f"{self.next[each]}[load{f' * {together}' if part else ''}{part}] = {chosen};")
        if together > 1:
            write.close()

    def put(self) -> None:
        """What is in the registers into one side of local memory: the other one, if there is one, may still be read."""
        write = self.write
        for each in self.reads:
            lead, step = self.slots(each)
            together, word = self.together(each), self.words[each.by]
            if few := self.is_slot(each):
                write.open(f"if ({few})")
            tile = f"{self.tiles[each]}[{self.side}]"
            if turned := self.turned(each):
                lead = f"{lead} ^ {self.slot} % {self.depth // together} * {turned}"
            registers = [f"{self.next[each]}[load * {together} + {part}]" for part in range(together)]
            if together == 1:
                write.line(f"{tile}[{step}][{lead}] = {self.next[each]}[load];")
            elif each.along:
                for part, register in enumerate(registers):
                    write.line(f"{tile}[{step} + {part}][{lead}] = {register};")
            elif together == word:
                kind = f"{self.kind(each)}{together}"
                write.line(f"*(__local {kind} *)&{tile}[{step}][{lead}] = ({kind})({', '.join(registers)});")
            else:
                for part, register in enumerate(registers):
                    write.line(f"{tile}[{step}][{lead} + {part}] = {register};")
            if few:
                write.close()
            write.close()

    def read(self, each: Staged) -> None:
        """What the sums of a work-item read of an element in one trip."""
        write, now, tile = self.write, self.now[each], f"{self.tiles[each]}[{self.side}]"
        if not each.by:
            write.line(f"const {self.kind(each)} {now} = {tile}[{self.step}][0];")
            return
        count, word = self.rows if each.by == "row" else self.columns, self.words[each.by]
        lead = f"{self.lanes[each.by]} + {self.strides[each.by]} * load"
        write.line(f"{self.kind(each)} {now}[{count}];")
        write.lines.append("#pragma unroll")
        write.open(f"for (int load = 0; load < {count // word}; load++)")
        if word == 1:
            if turned := self.turned(each):
                lead = f"({lead}) ^ {self.step} / {self.together(each)} * {turned}"
            write.line(f"{now}[load] = {tile}[{self.step}][{lead}];")
        else:
            kind = f"{self.kind(each)}{word}"
            if turned := self.turned(each):
                lead = f"({lead}) ^ {self.step} / {self.together(each)} * {turned // word}"
            write.line(f"const {kind} {self.word} = ((__local const {kind} *){tile}[{self.step}])[{lead}];")
            for part in range(word):
                write.line(f"{now}[load * {word} + {part}] = {self.word}.s{part};")
        write.close()
