"""The markers that a user writes into annotations and ``with`` statements (DESIGN section 2).

In: what the user writes, ``dist[np.ndarray]`` or ``Annotated[np.ndarray, dist, dim(0), view((1, 1))]``.
Out: frozen marker objects, which `markers_of` collects from an evaluated annotation.
Not here: evaluating string annotations, and checking a marker against the code that it stands in (the compiler).

Type checkers see ``dist[T]`` and ``shared[T]`` as ``T``, and the rest is metadata that they skip. In plain Python all
of it does nothing, which is what makes serial elision true: a marker that is written wrongly raises nothing either. It
is a `Mistake`, which the compiler reports where it stands, together with all that it finds.
"""

import keyword
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import numpy as np

from somd.language.operators import symbols, ways_out
from somd.language.partitioners import Partitioner
from somd.language.scanning import CLAIMED, no_such_scan

__all__ = ["dim", "dist", "like", "markers_of", "partition", "polyview", "reduce", "shared", "single", "sync", "view"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])

SyncOperator: TypeAlias = Literal["+", "-", "*", "min", "max", "and", "or", "&", "|", "^"]
Operator: TypeAlias = SyncOperator | Literal["self"]
ScanOperator: TypeAlias = Literal["+", "affine"]
Combine: TypeAlias = Callable[..., object]
"""``list[R] -> R``, and any further arguments."""


@dataclass(frozen=True)
class Marker:
    """What all annotation markers are; anything else in an `Annotated` belongs to some other tool and is left alone."""


@dataclass(frozen=True)
class Mistake(Marker):
    """A marker that is written wrongly (SOMD102): what is wrong with it, and ways out."""

    message: str
    helps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dist(Marker):
    """The array is distributed over the method instances."""


@dataclass(frozen=True)
class Shared(Marker):
    """The local is shared by all method instances, made consistent by `sync`."""


@dataclass(frozen=True)
class Dim(Marker):
    """The axes that are distributed, 0-based."""

    axes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.axes:
            raise ValueError("`dim()` needs at least one axis")
        text = f"`dim({', '.join(map(repr, self.axes))})`"
        axes = tuple(_index(axis, f"{text}: an axis") for axis in self.axes)
        if min(axes) < 0:
            raise ValueError(f"{text}: axes count from 0, as NumPy's do, and may not be negative")
        if len(set(axes)) < len(axes):
            raise ValueError(f"{text}: an axis is named twice")
        object.__setattr__(self, "axes", axes)


@dataclass(frozen=True)
class Partition(Marker):
    """The partitioner that cuts the array; a partitioner class is taken with its default arguments."""

    partitioner: Partitioner

    def __post_init__(self) -> None:
        given: object = self.partitioner
        if isinstance(given, type):
            kind: type[object] = given
            try:
                given = kind()
            except TypeError as error:
                raise TypeError(f"`partition({kind.__name__})`: give it its arguments: {error}") from None
        if not callable(given):
            raise TypeError(
                f"`partition({given!r})`: a partitioner is a callable (array, parts) -> [(start, stop), ...]"
            )
        object.__setattr__(self, "partitioner", given)


@dataclass(frozen=True)
class Like(Marker):
    """The array is cut where the distributed value of this name is cut."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"`like({self.name!r})`: expected the name of a distributed value, as a string")
        if not self.name.isidentifier() or keyword.iskeyword(self.name):
            raise ValueError(f"`like({self.name!r})`: that is not a name")


@dataclass(frozen=True)
class View(Marker):
    """Per axis, how many indexes below and above its partition a method instance may read."""

    pairs: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        name = type(self).__name__.lower()
        if not self.pairs:
            raise ValueError(f"`{name}()` needs a (low, high) pair for each axis")
        object.__setattr__(self, "pairs", tuple(_view_pair(name, pair) for pair in self.pairs))


@dataclass(frozen=True)
class Polyview(View):
    """A view without the corners: the polygonal one of the paper's Figure 4b."""


@dataclass(frozen=True)
class Reduce(Marker):
    """How the partial results become the result."""

    operation: Operator | Combine
    arguments: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        _check_operation("reduce", self.operation)
        if self.arguments and isinstance(self.operation, str):
            raise TypeError(f"`reduce({self.operation!r}, ...)`: only a function takes further arguments")

    @property
    def by_operator(self) -> bool:
        """Whether it names an operator: neither the method itself nor a function."""
        return isinstance(self.operation, str) and self.operation != "self"

    @property
    def text(self) -> str:
        """The operation in messages: `merge`, `+`."""
        name = self.operation if isinstance(self.operation, str) else getattr(self.operation, "__name__", None)
        return f"`{name}`" if name else f"`{self.operation!r}`"

    def __repr__(self) -> str:
        # without the address of the function: keys of the cache are made of it
        name = getattr(self.operation, "__qualname__", None)
        operation = f"{getattr(self.operation, '__module__', '')}.{name}" if name else repr(self.operation)
        return f"Reduce({', '.join([operation, *map(repr, self.arguments)])})"


class Alias:
    """`dist` and `shared`, which stand alone or before a type in brackets."""

    def __init__(self, name: str, marker: Marker) -> None:
        self.name = name
        self.marker = marker
        self.plain: Any = Annotated[T, marker]
        self.helps = (f"write `{name}[np.ndarray]`",)

    def __getitem__(self, item: object) -> Any:
        if isinstance(item, tuple):
            kind = item[0] if item and not _is_no_type(item[0]) else np.ndarray
            others = "".join(f", {_text(each)}" for each in item if _is_marker(each))
            meant = f"Annotated[{_name(kind)}, {self.name}{others}]" if others else f"{self.name}[{_name(kind)}]"
            mistake = Mistake(f"`{self.name}[...]` takes one type", (f"write `{meant}`",))
            made: Any = Annotated[kind, self.marker, mistake]
            for each in item:
                made = Annotated[made, each] if isinstance(each, Mistake) else made
            return made
        if _is_no_type(item):
            what = "a marker" if _is_marker(item) else f"`{item!r}`"
            helps = (f"write `Annotated[np.ndarray, {self.name}, {_text(item)}]`",) if _is_marker(item) else self.helps
            return Annotated[Any, self.marker, Mistake(f"`{self.name}[...]` takes a type, not {what}", helps)]
        return Annotated[item.plain if isinstance(item, Alias) else item, self.marker]

    def __call__(self, *arguments: object, **named: object) -> Any:
        return Annotated[Any, self.marker, Mistake(f"`{self.name}` takes its type in brackets", self.helps)]

    def __or__(self, other: Any) -> Any:
        return Union[self.plain, other]  # noqa: UP007 - which is how an alias makes it

    def __ror__(self, other: Any) -> Any:
        return Union[other, self.plain]  # noqa: UP007

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


if TYPE_CHECKING:
    dist = Annotated[T, Dist()]
    shared = Annotated[T, Shared()]
else:
    dist = Alias("dist", Dist())
    shared = Alias("shared", Shared())


class Maker:
    """A function that makes a marker; where its arguments, or the brackets around them, are wrong, a `Mistake`."""

    def __init__(self, function: Callable[..., Marker], example: str) -> None:
        update_wrapper(self, function)
        self.name = function.__name__
        self.function = function
        self.helps = (f"write it like `{example}`",)

    def __call__(self, *arguments: object, **named: object) -> Marker:
        try:
            return self.function(*arguments, **named)
        except (TypeError, ValueError) as error:
            return Mistake(str(error), tuple(getattr(error, "__notes__", ())) or self.helps)

    def __getitem__(self, item: object) -> Marker:
        return Mistake(f"the marker `{self.name}` takes its arguments in parentheses", self.helps)

    def __repr__(self) -> str:
        return self.name

    def alone(self) -> Marker:
        """What it is without arguments."""
        return Mistake(f"the marker `{self.name}` needs arguments", self.helps)

    def __reduce__(self) -> str:
        return self.name


def _maker(example: str) -> Callable[[F], F]:
    """A function that makes a marker, such as the example."""
    return lambda function: Maker(function, example)  # type: ignore[arg-type, return-value]


@_maker("dim(0)")
def dim(*axes: int) -> Dim:
    """Distribute these axes, 0-based: ``dim(0)``, ``dim(0, 1)``."""
    return Dim(axes)


@_maker("partition(Cyclic)")
def partition(partitioner: Partitioner | Callable[[], Partitioner]) -> Partition:
    """Cut the array with this partitioner: ``partition(Cyclic)``, ``partition(Chunked(64))``, ``partition(mine)``."""
    return Partition(partitioner)  # type: ignore[arg-type]  # a class becomes its instance there


@_maker('like("row")')
def like(name: str) -> Like:
    """Cut the array where the distributed value `name` is cut: ``like("row")``."""
    return Like(name)


@_maker("view((1, 1))")
def view(*pairs: tuple[int, int]) -> View:
    """Let a method instance read so many indexes beyond its partition, a (low, high) pair for each axis."""
    return View(pairs)


@_maker("polyview((1, 1), (1, 1))")
def polyview(*pairs: tuple[int, int]) -> Polyview:
    """A `view` without the corners (the paper's Figure 4b)."""
    return Polyview(pairs)


@_maker('reduce("+")')
def reduce(operation: Operator | Combine, *arguments: object) -> Reduce:
    """Combine the partial results by an operator, ``"self"`` (the method itself) or a callable ``list[R] -> R``."""
    return Reduce(operation, arguments)


class Single:
    """``with single:``; in plain Python a context that does nothing, may be nested and lets every exception through."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None

    def __repr__(self) -> str:
        return type(self).__name__.lower()


class Sync(Single):
    """``with sync:``, ``with sync(x, y, reduce="+", relaxed=True):`` and ``with sync(s, scan="+"):``; nothing but its
    checks in plain Python."""

    def __call__(
        self,
        *variables: object,
        reduce: SyncOperator | Combine | None = None,
        relaxed: bool = False,
        scan: ScanOperator | None = None,
    ) -> "Sync":
        if reduce is not None:
            _check_operation("sync", reduce)
            if not variables:
                raise TypeError("sync(reduce=...) names no variable to combine: sync(x, reduce='+')")
        if not isinstance(relaxed, bool):
            raise TypeError(f"sync(relaxed={relaxed!r}): expected True or False")
        if scan is not None:
            if scan not in CLAIMED:
                error = ValueError(f"there is no scan {scan!r}")
                error.__notes__ = [no_such_scan()]
                raise error
            if not variables:
                raise TypeError(f"sync(scan=...) names no variable to scan: sync(x, scan={scan!r})")
            if reduce is not None or relaxed:
                raise TypeError("sync(scan=...) takes neither `reduce` nor `relaxed` besides")
        return self


sync = Sync()
single = Single()


def markers_of(annotation: object) -> tuple[object, tuple[Marker, ...]]:
    """Take an evaluated annotation apart into the plain type and its markers, in the order written.

    >>> markers_of(Annotated[dist[int], dim(0)])
    (<class 'int'>, (Dist(), Dim(axes=(0,))))
    >>> markers_of(Annotated[int, dist, dim(0)])
    (<class 'int'>, (Dist(), Dim(axes=(0,))))

    Nested `Annotated` is flattened, and a bare ``dist`` or ``shared`` among the metadata counts. The plain type of an
    annotation that is nothing but ``dist`` is `Any`. Other tools' metadata is skipped. A marker without the arguments
    that it needs, such as ``Annotated[T, view]``, is a `Mistake`.
    """
    if isinstance(annotation, Alias):
        return Any, (annotation.marker,)
    if isinstance(annotation, Mistake):
        return Any, (annotation,)
    if get_origin(annotation) is not Annotated:
        return (Any if isinstance(annotation, TypeVar) else annotation), ()
    inner, *metadata = get_args(annotation)
    plain, markers = markers_of(inner)
    found = list(markers)
    for entry in metadata:
        if isinstance(entry, Marker):
            found.append(entry)
        elif isinstance(entry, Alias) or get_origin(entry) is Annotated:
            found.extend(markers_of(entry)[1])
        elif isinstance(entry, Maker):
            found.append(entry.alone())
    return plain, tuple(found)


def _is_marker(value: object) -> bool:
    return isinstance(value, Marker | Maker)


def _is_no_type(value: object) -> bool:
    """Whether it is a number, a text of bytes, a container or a marker."""
    return _is_marker(value) or isinstance(value, complex | float | int | bytes | list | dict | set)


def _text(marker: object) -> str:
    """A marker as it is written, where that is known."""
    given: tuple[object, ...] = getattr(marker, "axes", None) or getattr(marker, "pairs", None) or ()
    given = (marker.name,) if isinstance(marker, Like) else given
    return f"{type(marker).__name__.lower()}({', '.join(map(repr, given))})" if given else "..."


def _name(kind: object) -> str:
    return "np.ndarray" if kind is np.ndarray else str(getattr(kind, "__name__", "T"))


def _index(value: object, what: str) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{what} must be an int, got {value!r}")
    try:
        return operator.index(value)  # type: ignore[arg-type]  # asking is the test
    except TypeError:
        raise TypeError(f"{what} must be an int, got {value!r}") from None


def _view_pair(name: str, pair: object) -> tuple[int, int]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"`{name}` takes a (low, high) pair for each axis, not {pair!r}")
    low, high = (_index(width, f"`{name}`: a width") for width in pair)
    if low < 0 or high < 0:
        raise ValueError(f"`{name}`: {pair!r} has a negative width; widths count outwards from the partition")
    return low, high


def _check_operation(marker: Literal["reduce", "sync"], operation: object) -> None:
    allowed = (*symbols(), *(["self"] if marker == "reduce" else []))
    if isinstance(operation, str):
        if operation not in allowed:
            error = ValueError(f"there is no reduction {operation!r}")
            error.__notes__ = [*ways_out(operation, allowed)]
            raise error
    elif not callable(operation):
        raise TypeError(f"`{marker}`: {operation!r} is neither an operator in quotes, such as '+', nor a function")
    elif isinstance(operation, np.ufunc) and operation.nin > 1:
        name = f"np.{operation.__name__}"
        error = TypeError(f"`{name}` takes {operation.nin} values, and a reduction is given one list of them")
        error.add_note(f"name an operator, or a function of a list: `{name}.reduce`")
        raise error
