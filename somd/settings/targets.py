"""What a target is, and the table of them: all that the rest of the package may ask of a target, it asks here.

In: the name of a target, and for most questions a method that was compiled or a module that was generated. Out: the
target's answer. A target is added by one entry in `TARGETS`; nothing else outside its own rooms spells its name, and
its module is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from somd.errors import SomdError, SomdRuntimeError

if TYPE_CHECKING:
    from contextvars import ContextVar
    from pathlib import Path
    from types import CellType, FunctionType, ModuleType

    from somd.diagnostics.model import Position
    from somd.language.combining import Join
    from somd.language.library import LibraryCall
    from somd.runtime.mpi.dry_run import DrySession
    from somd.settings.cluster import Cluster
    from somd.transforms.pipeline import Compiled

#: the targets for which code is generated, with the modules whose `TARGET` they are
TARGETS = {"multicore": "somd.backends.multicore", "opencl": "somd.backends.opencl"}
#: the function as written, interpreted; no code is generated for it, so there is nothing to ask
SEQUENTIAL = "sequential"
#: where methods run for which nothing is said, or which another target cannot run
DEFAULT = "multicore"


class TargetLacks(SomdError):
    """The method uses something that a target has no form for (SOMD501); `reason` is a sentence about it."""

    code = "SOMD501"

    def __init__(self, reason: str, position: Position | None = None) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        if self.position is None:
            return self.reason
        return f"{self.reason} ({self.position.file}:{self.position.line})"


class Runnable(Protocol):
    """A loaded module: called with arguments and a number of workers, or compiled ahead for such arguments."""

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None, /) -> Any: ...

    def compile(self, args: Sequence[Any], /) -> None: ...


class _Nothing(Enum):
    NOTHING = auto()


#: where a dictionary, a cell or a function has no object
NOTHING = _Nothing.NOTHING


class Same(NamedTuple):
    """What has to be the same for a call to be like one before, besides the types of its arguments.

    `names` are entries of dictionaries, `attributes` those of functions, `cells` those of closures, each with its
    object, or NOTHING; `context` is a variable with its object, `folder` the working folder; `pairs` are positions of
    arrays that share no memory.
    """

    names: Sequence[tuple[dict[Any, Any], object, object]]
    attributes: Sequence[tuple[FunctionType, str, object]]
    cells: Sequence[tuple[CellType, object]]
    context: tuple[ContextVar[Any], object]
    folder: str
    pairs: Sequence[tuple[int, int]]


class Reckoning(Protocol):
    """Reckons a call with such arguments, whose elements do not matter, on so many ranks of so many threads each."""

    def __call__(
        self, args: tuple[Any, ...], ranks: int, costs: Cluster, workers: int, small_work: int | None, /
    ) -> DrySession: ...


@runtime_checkable
class Native(Runnable, Protocol):
    """One that offers calls in machine code; `finish` makes the results of what they give."""

    finish: Callable[[Any], Any] | None

    def native(
        self, args: Sequence[Any], same: Same, workers: int, small_work: int | None, /
    ) -> tuple[Callable[..., Any], Callable[[Exception], BaseException]] | None:
        """What makes a call like that with `args`, which has been made, as long as `same` holds, and else gives
        NotImplemented; and what makes an error of one that it raises. None where there is no such thing.
        """


class Device(NamedTuple):
    """A line about a device; memory in bytes. `state` tells whether it is chosen, or why it cannot be used."""

    kind: str
    name: str
    doubles: bool
    units: int
    memory: int
    state: str


class Target(Protocol):
    """A place where methods run: generated code, what loads it, and what tools show of both.

    A target derives from this class and gives `text`, `load` and `problem`. All other answers are there already: they
    are those of a target on the host that works with other targets' arrays by copies, has no settings, and keeps
    nothing but its modules in the cache. No answer may import a compiler or a driver that the question does not need.
    """

    #: whether the number of workers divides the work; where not, that is the devices' own matter
    uses_workers: bool = True
    #: which of `device` and `small_work` its section of a configuration file may set; only who knows `device` is given
    #: one
    settings: tuple[str, ...] = ()
    #: how many parameters a generated master has before those of the method
    leading: int = 0
    #: tables of a generated module that `somdc translate` writes to files of their own, with how these files' names end
    apart: Mapping[str, str] = {}
    #: packages whose exceptions no user may meet as themselves
    libraries: tuple[str, ...] = ()

    # --- identity: what the text of a generated module depends on, besides the method and the compiler ----------------

    #: packages whose versions matter
    tools: tuple[str, ...] = ()
    #: rooms of this package whose content matters; `settings`, `backends` and all of the compiler do anyway
    rooms: tuple[str, ...] = ()

    def variant(self) -> str:
        """Which form generated modules have in this process, where there are several; in words that name it."""
        return ""

    # --- the cache, in which each target has a folder of its name -----------------------------------------------------

    #: what is in the folder, in words
    kept: str = "generated modules"
    #: the files in it besides generated modules: names of folders, and of files in these, as regular expressions
    files: Mapping[str, str] = {}
    #: folders in it that others fill, and with what
    foreign: Mapping[str, str] = {}

    #: where in it machine code of modules lies, and how its files end: they begin as those of the modules
    code: tuple[str, str] | None = None

    def levels(self) -> Mapping[str, Mapping[str, str]]:
        """Levels of processors for which machine code can be shipped: by name, the environment of a process that
        compiles for one. What is in the cache for a level that this processor has is used as if compiled here."""
        return {}

    # --- ranks --------------------------------------------------------------------------------------------------------

    #: whether what `load` gives knows arrays of which this process has only some rows; others are given all of them
    knows_ranks: bool = False

    def reckoning(
        self,
        compiled: Compiled,
        function: FunctionType,
        partitioners: Mapping[int, Any],
        functions: Sequence[FunctionType],
    ) -> Reckoning:
        """What reckons what ranks would send in calls of a method, `function`; for the others see `load`.

        Raises:
            TargetLacks: it shares nothing among ranks, or not this method.
        """
        raise TargetLacks("calls are not shared among ranks")

    # --- devices ------------------------------------------------------------------------------------------------------

    #: what its devices are called, such as "OpenCL"
    device_kind: str = ""
    #: the classes, as module and name, of arrays on its devices, which it takes without a copy. They have NumPy's
    #: `shape` and `dtype`; `get()` is a copy on the host, `set(copy)` writes it back
    arrays: tuple[tuple[str, str], ...] = ()

    def problem(self) -> str | None:
        """Why it cannot be used here, or None where it can."""
        ...

    def check_importable(self) -> None:
        """Asked before a generated module is loaded.

        Raises:
            SomdRuntimeError: what such modules import is not there, or switched off.
        """
        return

    def reserved(self) -> Collection[str]:
        """The names that generated modules have themselves: those of users are told apart from them."""
        return ()

    def text(self, compiled: Compiled) -> str:
        """A method's module: a function of the method's name (or that `MASTER` names) and the tables that `load` needs.

        Two of them all targets have: `WRITTEN`, the positions of parameters that are changed in place, and, where a
        function is called at fences, `FENCES`.

        Raises:
            TargetLacks: there is no form for something in the method.
        """
        ...

    def profiled_text(self, compiled: Compiled) -> str:
        """The module that `somd.profile` runs, which keeps time of phases; that of `text` where the runtime does."""
        return self.text(compiled)

    def in_turn(self, method: str) -> AbstractContextManager[None]:
        """A block that compiles a method for this target, and waits for another process that does it for this one."""
        return nullcontext()

    def load(
        self,
        module: ModuleType,
        name: str,
        device: Any,
        partitioners: Mapping[int, Any],
        joins: Sequence[Join | LibraryCall],
        functions: Sequence[FunctionType] = (),
        names: Callable[[], Mapping[str, Any]] | None = None,
    ) -> Runnable:
        """What calls the function `name` of a generated module.

        `partitioners` has the partitioner of each parameter that has one, by position; `joins` what the fences call;
        `functions` or `names` what the method's `raise` statements need (`language.raising.Raises`).

        Raises:
            SomdRuntimeError: there is no such device, it cannot run this module, or a driver refuses it.
        """
        ...

    def explained(self, compiled: Compiled) -> Iterable[str]:
        """What `somdc explain` says of a method on this target, besides that it applies."""
        return ()

    def not_cached(self, module: Path) -> str | None:
        """What is not in the cache yet for a module that is, whose file is `module`; in words."""
        return None

    def devices(self, wanted: Any) -> tuple[Sequence[Device], Sequence[str]]:
        """All devices, the preferred ones first, and what else is to be said where `wanted` is the setting."""
        return (), ()

    def to_device(self, array: Any, device: Any) -> Any:
        """A copy of an array on a device, or the array itself where it is on one; asked where there are `arrays`."""
        raise SomdRuntimeError("arrays cannot be put on a device of this target")


_loaded: dict[str, Target] = {}


def target_of(name: str) -> Target:
    """The target of a name in `TARGETS`."""
    found = _loaded.get(name)
    if found is None:
        found = _loaded[name] = import_module(TARGETS[name]).TARGET
    return found


def names() -> tuple[str, ...]:
    """Every word that a user may say for a target."""
    return (SEQUENTIAL, *TARGETS)


def targets() -> dict[str, str | None]:
    """Target name -> None where it can be used, or the reason why it cannot."""
    return {SEQUENTIAL: None, **{name: target_of(name).problem() for name in TARGETS}}
