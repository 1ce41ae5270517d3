"""The loop program: loops, statements and typed expressions, one tree for all targets (decision 38).

    Program    ::= name, parameters, result, body: Statement*, functions, combined       what the master runs
    Function   ::= name, parameters, result, body: Statement*                            a helper, of scalars
    Statement  ::= Assign(target, value) | Unpack(targets, call) | Store(element, value) | Evaluate(value)
                |  Loop | While(test, body) | If(test, body, orelse) | Break | Continue | Return(values)
                |  Allocate(array, lengths, fill) | AllocateLike(array, like, fill) | Copy(array, source)
                |  Rebind(targets, sources) | Check(condition, site) | Raise(site, values)
                |  LibraryCall(number, targets, values)
                |  Region | Scan(totals, region, carries) | Join(region, names, function)
                |  Partials(region, names, body) | Snapshot(copies) | Lanes(loaded, stored, body)
    Loop       ::= variable, start, stop, step, body, order: "in order" | "free", reach, time_tiles, margin, panels
    TimeTiles  ::= sweeps, rows, alike, between: Statement*                  a loop around regions, some trips at a time
    Panels     ::= region, kept                                                the same, its last region later
    Region     ::= checks, tables, loop, depth, inputs, private, reductions, combined, handed on, partition, snapshots,
                   strips, tile, packed, pieces: Region*, chunk
    Table      ::= array, count, body: Statement*                              what a part makes before its iterations
    Strips     ::= body, length, assumed, where              the innermost loop of a region, its trips side by side
    Tile       ::= variable, count, length, body, inner      some trips of the loop around strips at once, or without
                                                             strips of the innermost loop
    Chunk      ::= first, count, arrays: Allocate*            trips for which all pieces run before the next ones
    Packed     ::= rows, columns, before: Statement*, guard, loop, behind     trips of the two innermost loops at once,
                                                             their sums in registers
    Reduced    ::= variable, op, companions, taking, flag                      one partial a block, in a fixed tree
    Combined   ::= array, op                                                   private copies, which the fence combines
    Expression ::= Constant | Variable | Element | Length(array, axis) | Operation(operator, operands)
                |  Cast(operand) | Choice(test, yes, no) | HelperCall(function, operands, part)
    Element    ::= array, indices, access: Proved | FromEnd | Tested(sites), relaxed
    Origin     ::= position, comments, node, behind                            of statements and elements

Every expression has the type that its value has, a dtype of NumPy's, and integers the interval that they lie in. What
differs between Python's own numbers and NumPy's is said by the operator, not by the type: a cast is a node, no operator
converts. `operators` has them all. A name has one type in a program, or in a function.

Conditions of checks, and what encloses a loop (`hull`, `ordered_if`), reckon with integers that have no width; all else
wraps as its type does. An access is `Proved` to be inside its array, `FromEnd` if it is inside but may count from the
end, or `Tested` where it happens. The trips of a `Loop` whose order is "free" may run in any order, and side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from somd.language.combining import Combine
from somd.transforms.library import LibraryFunction
from somd.transforms.loops.accesses import FROM_END as FROM_END
from somd.transforms.loops.accesses import PROVED as PROVED
from somd.transforms.loops.accesses import Access as Access
from somd.transforms.loops.accesses import FromEnd as FromEnd
from somd.transforms.loops.accesses import Proved as Proved
from somd.transforms.loops.accesses import RelaxedRead as RelaxedRead
from somd.transforms.loops.accesses import Tested as Tested
from somd.transforms.loops.chunks import Chunk as Chunk
from somd.transforms.loops.expressions import Cast as Cast
from somd.transforms.loops.expressions import Choice as Choice
from somd.transforms.loops.expressions import Constant as Constant
from somd.transforms.loops.expressions import Element as Element
from somd.transforms.loops.expressions import Expression as Expression
from somd.transforms.loops.expressions import HelperCall as HelperCall
from somd.transforms.loops.expressions import Interval as Interval
from somd.transforms.loops.expressions import Length as Length
from somd.transforms.loops.expressions import Operation as Operation
from somd.transforms.loops.expressions import Variable as Variable
from somd.transforms.loops.origins import NOWHERE as NOWHERE
from somd.transforms.loops.origins import Origin as Origin
from somd.transforms.loops.packed import Packed as Packed
from somd.transforms.loops.reduced import CombinedArray as CombinedArray
from somd.transforms.loops.reduced import Reduced as Reduced
from somd.transforms.loops.scan import CarriedScalar as CarriedScalar
from somd.transforms.loops.scan import Scan as Scan
from somd.transforms.stages import RaiseSite, Site
from somd.transforms.types.scalars import ArrayType, ScalarType, Type

Order = Literal["in order", "free"]


@dataclass(frozen=True)
class Whole:
    """An array itself, where a result is one."""

    array: str
    type: ArrayType


# --- statements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    """A scalar gets a value."""

    target: Variable
    value: Expression
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Unpack:
    """Scalars get the parts of what a function returns."""

    targets: tuple[Variable, ...]
    function: str
    operands: tuple[Expression, ...]
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Store:
    """An element gets a value."""

    element: Element
    value: Expression
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Evaluate:
    """An expression whose value nobody takes: a test in it may fail."""

    value: Expression
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Loop:
    """For a variable from `start` up or down to `stop`, which is not taken any more: bounds are taken once, and what
    the body does to the variable changes nothing. `hull`, lowest and highest value, encloses the variable for all trips
    of the loops around it in its region. An `aligned` one may be cut where vectors of its row begin. Of one that is
    `in_vectors` some trips are taken at once, each statement for all of them before the next.

    A loop around regions that has a `reach` may run them out of step: what an iteration of one touches, others of the
    loop touch in iterations at most `reach` further along the outermost loops for each region that runs in between, or
    both only read. `time_tiles` are a way to do so. In one that has a `margin` the last region of a trip may wait: of
    its outermost loop, trips from `margin` beyond a later trip on touch nothing that the trips up to that one touch,
    but for their own. `panels` are a way to do so."""

    variable: Variable
    start: Expression
    stop: Expression
    step: Expression
    body: tuple[Statement, ...]
    order: Order = "in order"
    hull: tuple[Expression, Expression] | None = None
    origin: Origin = field(default=NOWHERE, compare=False)
    aligned: bool = False
    in_vectors: bool = False
    reach: int | None = None
    time_tiles: TimeTiles | None = None
    margin: int | None = None
    panels: Panels | None = None

    @property
    def by(self) -> int | None:
        """How far the variable goes in each trip, where that is constant."""
        return int(self.step.value.real) if isinstance(self.step, Constant) else None


@dataclass(frozen=True)
class TimeTiles:
    """A loop around regions run by several trips at a time, by parts that have rows of their own, where no check of the
    regions fails and the arrays that are `alike` have one shape. `rows`, from the first to behind the last, has all
    trips of the regions' outermost loops; `sweeps` is how many regions a trip runs. Each part has for itself what the
    trips set. The master comes after them: `between` is what a trip does without its regions, as far as that is asked
    for outside the loop. Where the regions' ranges may lie far from each other, `sparse` says when they do, so that
    most of the rows would hold no trip of any: then the loop runs as it is."""

    sweeps: int
    rows: tuple[Expression, Expression]
    alike: tuple[str, ...]
    between: tuple[Statement, ...]
    sparse: Expression | None = None


@dataclass(frozen=True)
class Panels:
    """A loop some trips of which run at a time, a panel: in each `region` runs up to the margin beyond the panel alone,
    and after them for all other trips of its outermost loop, each of which goes through the panel in order. `kept` are
    the scalars, by trips of the panel, that it needs of each."""

    region: int
    kept: tuple[Variable, ...]


@dataclass(frozen=True)
class While:
    """As long as the test is true."""

    test: Expression
    body: tuple[Statement, ...]
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class If:
    """One of two bodies."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Break:
    """Leave the innermost loop."""

    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Continue:
    """Go on with the next trip of the innermost loop."""

    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Return:
    """End the program or function, with one value or the parts of a tuple."""

    values: tuple[Expression | Whole, ...]
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Allocate:
    """A new array; without `fill` its elements have no values yet. In a region a length below 0 is a fault at the site
    of its axis."""

    array: str
    type: ArrayType
    lengths: tuple[Expression, ...]
    fill: Expression | None
    sites: tuple[Site, ...] = ()
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class AllocateLike:
    """A new array of the shape of another one, and of its layout in memory."""

    array: str
    type: ArrayType
    like: str
    fill: Expression | None
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Copy:
    """A new array with the elements of another one; one that is `ordered` is in C order, whatever the source is."""

    array: str
    type: ArrayType
    source: str
    ordered: bool = False
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Rebind:
    """Names get arrays that have other names, all at once."""

    targets: tuple[str, ...]
    sources: tuple[str, ...]
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class LibraryCall:
    """New arrays, and scalars, that a function of a library makes of whole arrays and scalars, which stay as they are.
    The call has a number among those of a program, and `function` says what is called. Never in a region."""

    number: int
    function: LibraryFunction
    targets: tuple[Variable | Whole, ...]
    values: tuple[Expression | Whole, ...]
    origin: Origin = field(default=NOWHERE, compare=False)

    @property
    def scalars(self) -> tuple[Variable, ...]:
        """The targets that are no arrays."""
        return tuple(each for each in self.targets if isinstance(each, Variable))

    @property
    def arrays(self) -> tuple[str, ...]:
        """The names of arrays that it makes."""
        return tuple(each.array for each in self.targets if isinstance(each, Whole))


@dataclass(frozen=True)
class Check:
    """The program fails at the site if the condition is true."""

    condition: Expression
    site: Site


@dataclass(frozen=True)
class Raise:
    """The exception of a `raise` of the method, made of values whose types are those of plain Python (`kinds`); a tuple
    among these takes as many values as it has parts."""

    site: RaiseSite
    values: tuple[Expression, ...]
    kinds: tuple[Type, ...]
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Table:
    """An array that each part of a region makes before its iterations, with as many entries as there is use and room
    for, from none to `count`. The body is that of a function of what the region reads, with names of its own: it fills
    the array from its first entry on, and returns it, as soon as it is full."""

    array: str
    type: ArrayType
    count: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Lanes:
    """What each trip of a strip does for itself, one after the other. `loaded` are the scalars that it takes from where
    they are kept for each lane of the strip, `stored` those that it leaves there."""

    loaded: tuple[Variable, ...]
    stored: tuple[Variable, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Strips:
    """The innermost loop of a region run in strips, so many trips of it side by side at most: `body` runs once for a
    strip, `Lanes` in it once a trip. It does what the body of the loop does, where all elements of the arrays that are
    `assumed` to hold certain values do so, and all conditions hold on which it does it (`where`)."""

    body: tuple[Statement, ...]
    length: int
    assumed: tuple[tuple[str, Interval], ...] = ()
    where: tuple[Expression, ...] = ()

    @property
    def always(self) -> bool:
        """Whether nothing need be asked before."""
        return not self.assumed and not self.where


@dataclass(frozen=True)
class Tile:
    """Some trips at once of the loop around the strips of a region; of its innermost loop, where that has no strips.
    `body`, which is for strips of `length` if there are any, does for the trip of the variable and those behind it,
    `count` in all, what the region does for each. Where the loop in strips has other trips for each of them, `inner`
    are the limits of those that they share; the others are taken one by one. One of the two limits moves."""

    variable: Variable
    count: int
    length: int
    body: tuple[Statement, ...]
    inner: tuple[Expression, Expression] | None = None


@dataclass(frozen=True)
class Region:
    """What runs from fence to fence: the trips of `depth` loops, the first `loop`, each the whole body of the one
    around it, are shared among threads or work-items.

    An iteration reads `arrays` and `scalars` of the master's names, and has all others for itself. `handed_on` are the
    scalars that a part hands on from trip to trip, from their values before the region; `ordered_if` are the conditions
    under which all is one part; the partitioner of array `partition` cuts the trips into parts that run in order.
    `snapshots` are the copies that relaxed reads see, which the region takes itself if `fresh`.
    `aliased` says that two of the arrays may be one. `strips` are another way to run the innermost loop, and a `tile`
    one for as many trips as there are whole tiles; one that is `packed` runs in that way. `pieces` do what the region
    does, in its place: each part of its outermost loop, which is that of all pieces, runs them one after the other.
    They may have further free loops. With a `chunk` they take so many trips of the innermost loop at a time.
    """

    number: int
    checks: tuple[Check, ...]
    loop: Loop
    depth: int
    scalars: tuple[str, ...]
    arrays: tuple[str, ...]
    written: tuple[str, ...]
    local_arrays: tuple[str, ...] = ()
    reductions: tuple[Reduced, ...] = ()
    combined: tuple[CombinedArray, ...] = ()
    handed_on: tuple[Variable, ...] = ()
    ordered_if: tuple[Expression, ...] = ()
    partition: str | None = None
    snapshots: tuple[tuple[str, str], ...] = ()
    relaxed: bool = False
    fresh: bool = False
    aliased: bool = False
    tables: tuple[Table, ...] = ()
    strips: Strips | None = None
    tile: Tile | None = None
    packed: Packed | None = None
    pieces: tuple[Region, ...] = ()
    chunk: Chunk | None = None
    origin: Origin = field(default=NOWHERE, compare=False)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops whose trips are shared, outermost first."""
        found = [self.loop]
        while len(found) < self.depth:
            [inner] = found[-1].body
            assert isinstance(inner, Loop)
            found.append(inner)
        return tuple(found)

    @property
    def tiled(self) -> int:
        """Which of the loops a tile takes several trips of."""
        return self.depth - (1 if self.strips is None else 2)

    @property
    def body(self) -> tuple[Statement, ...]:
        """What one iteration runs."""
        return self.loops[-1].body

    @property
    def carried(self) -> tuple[Variable, ...]:
        """The scalars that an iteration hands to the next one of its block or part."""
        return (*(v for each in self.reductions for v in each.variables), *self.handed_on)


@dataclass(frozen=True)
class Join:
    """A fence behind a region that hands scalars on: each becomes `function` of the list of the parts' values, which
    are what `kinds` say in plain Python."""

    region: int
    names: tuple[Variable, ...]
    kinds: tuple[ScalarType, ...]
    function: Callable[..., object]
    text: str


@dataclass(frozen=True)
class Partials:
    """The rest of the program behind a region that hands scalars on, run for the values of each part: what it returns
    are the partial results."""

    region: int
    names: tuple[Variable, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Snapshot:
    """Copies of arrays as they are now: pairs of array and copy."""

    copies: tuple[tuple[str, str], ...]


Statement = (
    Assign | Unpack | Store | Evaluate | Loop | While | If | Break | Continue | Return | Allocate | AllocateLike | Copy
    | LibraryCall | Rebind | Check | Raise | Region | Scan | Join | Partials | Snapshot | Lanes
)  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter with the type of its argument: Python's own numbers are told from NumPy's here."""

    name: str
    type: Type


@dataclass(frozen=True)
class Function:
    """A helper that the program calls: scalars in, a scalar or a tuple of them out."""

    name: str
    parameters: tuple[Variable, ...]
    result: tuple[ScalarType, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Program:
    """A method for one signature. `result` is what its result is in plain Python; None if it returns nothing."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type | None
    body: tuple[Statement, ...]
    functions: tuple[Function, ...] = ()
    combine: Combine | None = None
