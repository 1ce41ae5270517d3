"""What the passes hand to each other: `Method` (what the user wrote) and `Plan` (what runs, for any target).

The statements inside stay libcst nodes; what an analysis finds out about them lives in side tables keyed by node.

    Method     ::= name, parameters, result, body (libcst), positions, namespace
    Plan       ::= method, body: Step*, arrays, facts
    Step       ::= Serial(statements)                     run once, by the master
                |  Uniform(header, body: Step*, orelse)    a for, while or if that all MIs take together
                |  Phase(nest)                            a parallel region: every MI runs its share, then a fence
                |  Scan(totals, phase, carries)           a phase whose blocks hand scalars on to the next ones
                |  Joined(names, function)                one value of the MIs' copies, for all of them
                |  Snapshot(arrays)                       copies of arrays as they are now, for relaxed reads
                |  PartialResults(statements, names)      the rest of the method, run for the partials of each MI
    Nest       ::= dims: Dim+, body (libcst), inputs, reductions, combined, copies, checks, accesses, local_arrays
    LocalArray ::= name = allocation                       an array that each iteration of a nest has for itself
    Dim        ::= for var in range(start, stop, step)
    Reduction  ::= name op                                 one partial a logical block, combined in a fixed tree
    Combined   ::= array op                                updated in private copies, which the fence combines
    Check      ::= condition -> site                       an access that leaves its array, found before the phase
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType

import libcst as cst

from somd.diagnostics.model import Diagnostic, Position
from somd.language.combining import Combine
from somd.transforms.access import Access, Affine, Relaxed
from somd.transforms.reduction import FIRST as FIRST
from somd.transforms.reduction import Combined as Combined
from somd.transforms.reduction import Reduction as Reduction
from somd.transforms.reduction import Taking as Taking


@dataclass(frozen=True)
class Param:
    """A parameter of the method, or a local with markers: `distributed` where it carries `dist`."""

    name: str
    distributed: bool
    dims: tuple[int, ...] | None = None
    view: tuple[tuple[int, int], ...] | None = None
    polyview: bool = False
    #: the class of its own partitioner, where that is not a block one
    partitioner: str | None = None
    #: the distributed value whose partition it shares
    like: str | None = None
    #: Python text that makes the partitioner of a local, and the parameter that is as long
    made_by: str | None = None
    as_long_as: str | None = None


@dataclass(frozen=True)
class Stride:
    """A loop over trip numbers: `variable` goes from `start` to `stop` by `step`, whose sign may be either."""

    variable: str
    start: cst.BaseExpression
    stop: cst.BaseExpression
    step: cst.BaseExpression


@dataclass(frozen=True, eq=False)
class Raising:
    """A `raise` or `assert` statement of `function` as it was written, and the texts of the values that it needs."""

    text: str
    position: Position
    values: tuple[str, ...]
    function: FunctionType


@dataclass(frozen=True)
class Method:
    """A SOMD method as written: its libcst function, where each node stands, and what its free names mean."""

    name: str
    qualname: str
    module: str
    file: str
    function: cst.FunctionDef
    positions: Mapping[cst.CSTNode, Position]
    params: tuple[Param, ...]
    #: the operators that the return annotation declares: one, or one for each entry of a tuple
    reduction: str | tuple[str | None, ...] | None
    shared: frozenset[str]
    namespace: Mapping[str, object]
    local_names: frozenset[str]
    #: locals that carry `dist`
    marked_locals: tuple[Param, ...] = ()
    #: names that passes made, and what the user wrote instead of each
    spelled: Mapping[str, str] = field(default_factory=dict)
    #: what makes the result of the MIs' partial results, where that is a function or the method itself
    combine: Combine | None = None
    #: by the variable of a loop over trip numbers: what it stands for
    strided: Mapping[str, Stride] = field(default_factory=dict)
    #: scalars that hold an element while a loop runs, and the array of each
    held: Mapping[str, str] = field(default_factory=dict)
    #: where loops begin: with the forms that they have or were tried in, once; of those that are in pieces already
    forms: frozenset[tuple[Position, str]] = frozenset()
    split_at: frozenset[Position] = frozenset()
    #: arrays of what chains of scalars are made of, and of the values before blocks of scans that were written out
    chained: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    #: names of what searches of loops find
    searches: frozenset[str] = frozenset()
    #: names that passes made: an index that is made of one lies inside its array
    within: frozenset[str] = frozenset()
    #: arrays, axes, indexes and where they stand in array statements: tested also where a statement has no elements
    asked: frozenset[tuple[str, int, str, Position]] = frozenset()
    #: names that are tested before they are read, since they may have no value
    tested: frozenset[str] = frozenset()
    #: whether sums of floats may be rounded and added up in other ways than the text says
    fastmath: bool = False
    #: whether arguments that are None, or texts, have decided which statements there are
    chosen: bool = False
    #: whether Python ints are tested that meet narrower integers
    fitted: bool = False
    #: parameters that are the numbers of a tuple or list: what makes Python's own of an element, "" for NumPy's
    kinds: Mapping[str, str] = field(default_factory=dict)
    #: the functions that a call reaches, its own first
    functions: tuple[FunctionType, ...] = ()

    def position(self, node: cst.CSTNode) -> Position:
        return self.positions[node]

    def with_form(self, form: str, loops: Iterable[cst.CSTNode]) -> Method:
        """This method, in which it is noted that loops have a form, or were tried in it."""
        return replace(self, forms=self.forms | {(self.position(loop), form) for loop in loops})

    def has_form(self, form: str, loop: cst.CSTNode) -> bool:
        """Whether that was noted of a loop."""
        return (self.position(loop), form) in self.forms

    @property
    def marked(self) -> tuple[Param, ...]:
        """Parameters, and locals with markers."""
        return (*self.params, *self.marked_locals)

    @property
    def param_names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.params)


@dataclass(frozen=True)
class Dim:
    """A distributed loop. `low` and `high` (Python text, inclusive) enclose the variable for all outer iterations;
    `first` is `start` where that is affine."""

    node: cst.For
    variable: str
    start: cst.BaseExpression
    stop: cst.BaseExpression
    step: int
    invariant: bool
    low: str
    high: str
    first: Affine | None = None


#: stands for the axis of a site where a length may be negative, and no index is wrong
LENGTH = -1
#: in place of an axis: scalars are too far from 0, and are named in place of the array
FAR = -2
#: what the absolute values of scalars do not exceed from which bounds and conditions of loops are computed
NEAR = 1 << 44


@dataclass(frozen=True)
class Site:
    """A place in the source that can fail at run time.

    `first` is Python text over scalars and shapes: the index with which the first iteration leaves the array, where
    that is found before the loop; "" where it is not known.
    """

    number: int
    position: Position
    array: str
    axis: int
    text: str
    first: str = ""

    @property
    def row(self) -> tuple[str | int, ...]:
        """What generated modules tell of it: file, line, array, axis, text, and `first` where it is known."""
        file = self.position.file.replace("\\", "/").rpartition("/")[2]
        row = (file, self.position.line, self.array, self.axis, self.text)
        return (*row, self.first) if self.first else row


@dataclass(frozen=True)
class RaiseSite:
    """A `raise` of the plan, whose number is one among those of sites: its name in the method, and what it raises."""

    number: int
    name: str
    raising: Raising


@dataclass(frozen=True)
class Check:
    """`condition` (Python text over scalars and shapes) is true when the access at `site` would leave its array."""

    condition: str
    site: Site


@dataclass(frozen=True)
class Near:
    """Scalars that must not be far from 0, for bounds and conditions of loops are made of them: near the ends of 64
    bits these would wrap, and the analysis, which reckons with integers of any size, would not hold."""

    scalars: tuple[str, ...]
    site: Site


@dataclass(frozen=True)
class LocalArray:
    """An array that every iteration of a nest makes for itself, by `allocations` of one shape.

    `extents` has the lengths that are the same in every call; `sites`, one an axis, are set where one may be negative.
    """

    name: str
    allocations: tuple[cst.Call, ...]
    extents: tuple[int | None, ...]
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True)
class Nest:
    """Distributed loops, outermost first, around a body that one iteration runs."""

    dims: tuple[Dim, ...]
    body: tuple[cst.BaseStatement, ...]
    arrays_read: tuple[str, ...]
    arrays_written: tuple[str, ...]
    scalars: tuple[str, ...]
    privates: tuple[str, ...]
    reductions: tuple[Reduction, ...]
    checks: tuple[Check, ...]
    #: accesses tested where they happen, one site an axis
    guarded: Mapping[cst.Subscript, tuple[Site, ...]]
    #: accesses whose index may be negative, and then counts from the end
    wrapping: frozenset[cst.Subscript]
    #: loop variables (by loop) and uniform scalars that index, where they are proved to be at least 0 or 1
    lowest: Mapping[cst.For, int]
    lowest_scalars: Mapping[str, int]
    #: whether the method asks for pieces of two dimensions
    grid: bool
    position: Position
    #: the parameter whose partitioner cuts the outermost dimension; None for blocks
    partition: str | None = None
    #: arrays that the fence around combines; they count as read and written, too
    combined: tuple[Combined, ...] = ()
    #: arrays of which only the shape is asked, besides those that are read and written
    arrays_asked: tuple[str, ...] = ()
    #: conditions under which a negative index makes iterations meet: then one MI runs the phase, in order
    in_order_if: tuple[str, ...] = ()
    views: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    #: scalars of which every MI has its own copy, from the value before the nest; what it leaves in it is its partial
    copies: tuple[str, ...] = ()
    local_arrays: tuple[LocalArray, ...] = ()
    #: for arrays with a polyview, a read of a corner
    corners: Mapping[str, Position] = field(default_factory=dict)
    relaxed: Relaxed | None = None
    #: loops directly in the body whose iterations are independent as well; none where arrays are private
    independent: tuple[cst.For, ...] = ()
    #: what iterations read and write of arrays that are not their own, and what holds of its names
    accesses: tuple[Access, ...] = ()
    facts: tuple[Affine, ...] = ()
    #: whether two of the arrays may be one
    aliased: bool = False
    #: what an iteration may raise
    raises: tuple[RaiseSite, ...] = ()
    #: what scalars are asked for before the checks, which reckon without wrapping, and after them
    near: tuple[Near | None, Near | None] = (None, None)

    @property
    def near_scalars(self) -> tuple[str, ...]:
        """All scalars that must not be far from 0."""
        return tuple(name for near in self.near if near is not None for name in near.scalars)

    @property
    def cut_twice(self) -> bool:
        """Whether an MI gets a piece of two dimensions: where the method asks for it, the inner loop runs forward, and
        what an MI makes is in the elements that it writes alone."""
        whole = self.reductions or self.combined or self.copies or self.partition is not None
        if whole or self.relaxed is not None or not self.grid or len(self.dims) < 2:
            return False
        return self.dims[1].invariant or self.dims[1].step > 0

    @property
    def place(self) -> str:
        """The nest in comments of generated code."""
        return f"the loop over {', '.join(dim.variable for dim in self.dims)} at line {self.position.line}"

    @property
    def tests(self) -> bool:
        """Whether something is tested while an iteration runs."""
        return bool(self.raises or self.guarded) or any(local.sites for local in self.local_arrays)

    @property
    def arrays(self) -> tuple[str, ...]:
        return tuple(sorted({*self.arrays_read, *self.arrays_written, *self.arrays_asked}))


@dataclass(frozen=True)
class Serial:
    """Statements run once, by the master; accesses in them are tested where they happen."""

    statements: tuple[cst.BaseStatement, ...]
    guarded: Mapping[cst.Subscript, tuple[Site, ...]]
    arrays_read: tuple[str, ...] = ()
    arrays_written: tuple[str, ...] = ()
    #: whether array names are bound to other arrays here
    swaps: bool = False


@dataclass(frozen=True)
class Sweeps:
    """A uniform loop that runs its phases over and over: an iteration of a phase depends on earlier phases only in
    iterations at most `radius` away for each phase in between.

    `stride` is the step of the innermost distributed loops; `offsets` has the accesses whose last index is the variable
    of that loop plus a constant, where that holds for all accesses to these arrays, `packed`.
    """

    radius: int
    stride: int = 1
    offsets: Mapping[cst.Subscript, int] = field(default_factory=dict)
    packed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Delay:
    """A phase at the end of a turn whose iterations from `margin` beyond a later turn on may wait for that turn: the
    turns between touch nothing of theirs, nor they anything of each other's."""

    phase: int
    margin: int


@dataclass(frozen=True)
class Uniform:
    """A for, while or if (libcst node for its header) that the master takes on behalf of all MIs."""

    node: cst.For | cst.While | cst.If
    body: tuple[Step, ...]
    orelse: tuple[Step, ...] = ()
    guarded: Mapping[cst.Subscript, tuple[Site, ...]] = field(default_factory=dict)
    #: what is proved of the phases of a loop that only sweeps over arrays
    sweeps: Sweeps | None = None
    #: a phase of the loop that may wait for some turns
    delay: Delay | None = None


@dataclass(frozen=True)
class Phase:
    """What an MI runs from fence to fence: its share of a nest."""

    number: int
    nest: Nest


@dataclass(frozen=True)
class Carry:
    """A scalar that iterations of a scan hand on, by an operator of `SCANS`; None: each sets it, and none reads it."""

    name: str
    by: str | None


@dataclass(frozen=True)
class Scan:
    """A loop whose iterations hand scalars on. `totals` runs those statements alone from which the scalars follow, each
    block of iterations from what the operators need to know of it; then `phase`, each block from its own carries."""

    totals: Phase
    phase: Phase
    carries: tuple[Carry, ...]


@dataclass(frozen=True)
class PartialResults:
    """The rest of the method behind a phase with copies, run for each MI: what it returns are the partial results.

    `Method.combine` makes one of them. `names` are the copies that it reads, `inputs` other scalars and arrays.
    """

    statements: tuple[cst.BaseStatement, ...]
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    phase: Phase
    guarded: Mapping[cst.Subscript, tuple[Site, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """Copies of arrays, name of the copy by array: what relaxed reads of the phases after it see of other MIs."""

    copies: Mapping[str, str]


@dataclass(frozen=True)
class Joined:
    """A fence behind a phase with copies: each of `names` becomes `function` of the list of the MIs' copies."""

    names: tuple[str, ...]
    function: Callable[..., object]
    text: str
    phase: Phase


Step = Serial | Uniform | Phase | Scan | PartialResults | Joined | Snapshot


@dataclass(frozen=True)
class Plan:
    """The method cut into phases; all that a back end reads."""

    method: Method
    body: tuple[Step, ...]
    arrays: tuple[str, ...]
    ranks: Mapping[str, int]
    sites: tuple[Site, ...]
    #: loops over distributed arrays that the master runs in order, with what keeps each from being distributed
    in_order: Mapping[cst.For, tuple[Diagnostic, ...]] = field(default_factory=dict)
    #: the `raise` statements, by their names in the method
    raises: Mapping[str, RaiseSite] = field(default_factory=dict)

    def phases(self) -> tuple[Phase, ...]:
        """The phases in source order."""
        return tuple(step for step in all_steps(self) if isinstance(step, Phase))


def all_steps(plan: Plan) -> Iterator[Step]:
    """Every step, those inside others too, in source order."""
    return nested_steps(plan.body)


def nested_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps with those inside others, in source order."""
    stack = list(reversed(steps))
    while stack:
        step = stack.pop()
        yield step
        if isinstance(step, Uniform):
            stack.extend(reversed(step.body + step.orelse))
        elif isinstance(step, Scan):
            stack.extend((step.phase, step.totals))


def swaps(plan: Plan) -> bool:
    """Whether array names are bound to other arrays somewhere."""
    return any(isinstance(step, Serial) and step.swaps for step in all_steps(plan))


def snapshot_names(plan: Plan) -> frozenset[str]:
    """The names of the snapshots that relaxed reads see."""
    relaxed = [phase.nest.relaxed for phase in plan.phases()]
    return frozenset(name for each in relaxed if each is not None for name in each.snapshots.values())


def written_arrays(plan: Plan) -> frozenset[str]:
    """The arrays that the plan writes; with arrays exchanged between phases, all of them."""
    written: set[str] = set()
    for step in all_steps(plan):
        if isinstance(step, Phase):
            written.update(step.nest.arrays_written)
        elif isinstance(step, Serial):
            written.update(step.arrays_written)
    return frozenset(plan.arrays) if written and swaps(plan) else frozenset(written)


def partial_results(plan: Plan) -> PartialResults | None:
    """The step that makes partial results, which is the last one."""
    last = plan.body[-1] if plan.body else None
    return last if isinstance(last, PartialResults) else None


def joined_names(plan: Plan) -> tuple[tuple[Joined, str], ...]:
    """Every name that a function joins at a fence, in order: its place here is its number in generated code."""
    fences = (step for step in all_steps(plan) if isinstance(step, Joined))
    return tuple((fence, name) for fence in fences for name in fence.names)


def partition_roots(plan: Plan) -> tuple[str, ...]:
    """The distributed values whose partitioners cut phases of the plan, in order of their names."""
    return tuple(sorted({phase.nest.partition for phase in plan.phases() if phase.nest.partition is not None}))


def relies_on_partition(plan: Plan, nest: Nest) -> bool:
    """Whether the iterations of a nest are independent only between the parts that its partitioner makes."""
    return any(p.name == nest.partition and p.partitioner == "ByKey" for p in plan.method.marked)
