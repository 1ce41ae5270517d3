"""`@somd` and the method object that it makes: what happens between a call and the generated code."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import FunctionType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from somd.arguments.device_arrays import all_of, on_device, on_host
from somd.cache.keys import missing_globals, source_key
from somd.cache.shipped import came_checked
from somd.calls.bound import BoundMethod
from somd.calls.convention import Calling, calling_of
from somd.calls.entries import Entries
from somd.calls.explanation import Explanation
from somd.calls.fast_path import NativeCall, WarmCall
from somd.calls.lengths import with_length
from somd.calls.profile import recorded
from somd.calls.specialisations import TargetUnavailable, source_text
from somd.capture.attributes import NotKnownYet
from somd.capture.paths import class_name_of, parameters_of, paths_of
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.capture.source_text import take_source
from somd.compiling.one_at_a_time import one_at_a_time, room_for_nesting
from somd.diagnostics.refusals import comes_from_a_statement, of_the_user, without_our_frames
from somd.diagnostics.refusals import hidden as __tracebackhide__  # noqa: F401 - pytest asks for it
from somd.errors import SomdCompileError, SomdFallbackWarning, SomdRuntimeError, without_internals
from somd.runtime.folders import cache_folder, read_own, write_whole
from somd.runtime.mpi.distributed import buffers
from somd.runtime.recording import making
from somd.settings import config
from somd.settings.targets import DEFAULT, SEQUENTIAL, target_of

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
_gathered: ContextVar[list[SomdMethod[..., Any]] | None] = ContextVar("somd_gathered", default=None)


#: target, workers and fastmath, as `@somd` says them
Options = tuple[str | None, int | None, bool | None]


class SomdMethod(Generic[P, R]):
    """A SOMD method: calling it runs many method instances, each over one partition, and returns like any call.

    Attributes:
        sequential: the function as written, interpreted.
        binding: what reading the method from an object passes first, the `object` or its `class`.
    """

    binding = "object"

    def __init__(self, function: Callable[P, R], options: Options, signatures: Sequence[str]) -> None:
        assert isinstance(function, FunctionType)
        functools.update_wrapper(self, function)
        self.sequential: Callable[P, R] = function
        take_source(function)
        self._function = function
        self._options = options
        self.signatures = (signatures,) if isinstance(signatures, str) else tuple(signatures)
        parameters = inspect.signature(function).parameters.values()
        self._arity = len(parameters)
        self._positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        #: the entries of exact calls, and of those with `fastmath`
        self._entries_of = {False: Entries(function, False), True: Entries(function, True)}
        self._warned: set[tuple[str, str | None]] = set()
        self._settings = config.MethodSettings(function.__qualname__, function.__module__, *options)
        self._native: NativeCall | None = None
        self._owner: type | None = None
        gathered = _gathered.get()
        if gathered is not None:
            gathered.append(self)
            return
        try:
            with making("looking up names"), room_for_nesting(function):
                checked = _check_once(function, None)
        except SomdCompileError as error:
            raise without_internals(error) from error.__cause__
        if checked is not None:
            self._entries_of[False].looked_at(checked)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the method on the target that the configuration chooses.

        Raises:
            SomdCompileError: the method, or its arguments, cannot be compiled under the promise.
            IndexError: an access leaves its array.
            SomdRuntimeError: arguments overlap in memory, or the target failed.
        """
        native = self._native
        if native is not None and not kwargs:
            failure: Exception | None = None
            try:
                result = native.call(*args)
            except Exception as error:
                failure = error
            else:
                if result is not NotImplemented:
                    finish = native.finish
                    return result if finish is None else finish(result)  # type: ignore[no-any-return]
            if failure is not None:  # not inside `except`: see `raise` in a method
                try:
                    raise native.meant(failure, args)
                finally:
                    del failure  # which would keep this frame, with the arguments
        values: tuple[Any, ...] = tuple(args)
        if kwargs or len(args) != self._arity or not self._positional:
            values = self.arguments(args, kwargs)
        settings = self._settings()
        if settings.target == SEQUENTIAL:
            return self._plain(*args, **kwargs)
        try:
            if settings.profiled:
                return recorded(self._function, settings, self._run, values)  # type: ignore[no-any-return]
            return self._run(settings.target, values, settings)  # type: ignore[no-any-return]
        except SomdCompileError as error:
            raise without_internals(error) from error.__cause__
        except TargetUnavailable as reason:
            self._warn(DEFAULT, None, SEQUENTIAL, reason)
        return self._plain(*args, **kwargs)

    def _plain(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The function as written, on arrays that are whole."""
        named: Any = dict(zip(kwargs, buffers(tuple(kwargs.values()), False), strict=True))
        given: Any = buffers(args, False)
        return self.sequential(*given, **named)

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all parameters in a call, in their order.

        Raises:
            TypeError: the function cannot be called so.
        """
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except TypeError as error:
            wrong = TypeError(f"{self._function.__qualname__}(): {error}")
            of_the_user(wrong)
            raise wrong from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return self._entries_of[False].names

    def twin(self) -> SomdMethod[P, R]:
        """Another method of the same function, for which nothing has been compiled yet."""
        other: SomdMethod[P, R] = SomdMethod(self._function, self._options, self.signatures)
        other.binding, other._owner = self.binding, self._owner
        return other

    @property
    def owner(self) -> type | None:
        """The class in whose body the method was defined, or None."""
        return self._owner

    @property
    def options(self) -> Options:
        """Target, workers and fastmath, as `@somd` says them."""
        return self._options

    @property
    def fastmath(self) -> bool:
        """Whether a call made now may round and add up sums in other ways than the text says."""
        return self._settings().fastmath

    @property
    def _entries(self) -> Entries:
        return self._entries_of[self.fastmath]

    @property
    def somd_function(self) -> FunctionType:
        """The function as written, for those that look for SOMD methods among other objects."""
        return self._function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner  # the check waits for a call: attributes are known then, whatever Python's version

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> SomdMethod[P, R]: ...
    @overload
    def __get__(
        self: SomdMethod[Concatenate[S, Q], R], instance: S, owner: type | None = None
    ) -> BoundMethod[S, Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if self.binding == "class":
            return BoundMethod(self, type(instance) if owner is None else owner)
        return self if instance is None else BoundMethod(self, instance)

    def __reduce__(self) -> str:
        return self._function.__qualname__

    def __repr__(self) -> str:
        return f"<SOMD method {self._function.__module__}.{self._function.__qualname__}>"

    def source(self, target: str | None = None) -> str:
        """The generated text for `target`: that of the last call on it, or else for arrays of float64.

        Raises:
            SomdCompileError: the method is refused.
        """
        own, workers, fastmath = self._options
        names = self._function.__qualname__, self._function.__module__
        chosen = config.settings_for(*names, target or own, workers, fastmath)
        name = target or chosen.target
        return self._entries.text(name) or source_text(self._function, self._shown(), name, self.signatures)

    def explain(self) -> Explanation:
        """The plan in words: phases, fences, partition, views, reductions and checks."""
        from somd.transforms.pipeline import check
        from somd.transforms.plan.explain import explain
        from somd.transforms.plan.explain_page import page

        plan = check(self._function, self._shown())
        return Explanation(explain(plan), page(plan))

    def _shown_calling(self) -> Calling:
        found = self._shown()
        return calling_of(found, found.structure(), self._entries.names)

    def _shown(self) -> Reach:
        """What the last call reached, or else what the text shows."""
        reached = self._entries.reached()
        if reached is not None:
            return reached
        try:
            return replace(reach_of_source(self._function, self._owner), fastmath=self.fastmath)
        except NotKnownYet as path:
            message = (
                f"what `{path}` of `{self._function.__qualname__}` is depends on the object: call the method first"
            )
            raise SomdRuntimeError(message) from None

    # --- running -------------------------------------------------------------------------------------------------

    def _run(self, target: str, values: tuple[Any, ...], settings: config.Settings) -> Any:
        device, entries = settings.device and settings.device_of(target), self._entries_of[settings.fastmath]
        try:
            warm = entries.warm(target, values, device, settings.profiled)
            given = values
            if warm is None:
                if any(map(on_device, values)) and not all_of(target, values):
                    return self._on_host(target, values, settings, device)
                given = buffers(values, target_of(target).knows_ranks)
                if given is not values:
                    warm = entries.warm(target, given, device, settings.profiled)
            if warm is None:
                entry, given = entries.find(target, given, device, settings.profiled)
            else:
                entry = warm.entry
                warm.calls += 1
                if warm.calls > warm.patience and given is values:
                    self._make_native(warm, values, settings)
            try:
                result = entry.call(given, settings.workers, settings.small_work)
            except Exception as error:
                if isinstance(error, IndexError) and with_length(error, entry, given):
                    raise error.with_traceback(None)  # noqa: B904 - the same error, without the runtime's frames
                if comes_from_a_statement(error):
                    raise error.with_traceback(without_our_frames(error.__traceback__))  # noqa: B904 - as above
                raise
            return result if entry.combine is None else entry.combine(result, values)
        except TargetUnavailable as reason:
            if target == DEFAULT:
                raise
            self._warn(target, str(device) if device is not None else None, DEFAULT, reason)
        return self._run(DEFAULT, values, settings)  # not inside `except`: see `raise` in a method

    def _make_native(self, warm: WarmCall, values: tuple[Any, ...], settings: config.Settings) -> None:
        grounds = self._settings.grounds(settings)
        if grounds is not None and not settings.profiled:
            self._native = self._entries_of[settings.fastmath].native(warm, values, grounds, settings)

    def _on_host(self, target: str, values: tuple[Any, ...], settings: config.Settings, device: Any) -> Any:
        """A call with arrays of devices, on another target."""
        return on_host(
            lambda given: self._run(target, given, settings),
            values,
            lambda given: self._entries_of[settings.fastmath].find(target, given, device)[0].written,
        )

    def _warn(self, target: str, device: str | None, instead: str, reason: TargetUnavailable) -> None:
        if (target, device) in self._warned:
            return
        self._warned.add((target, device))
        message = f"`{self._function.__qualname__}` runs on {instead} instead of {target}: {reason} [{reason.code}]"
        warnings.warn(message, SomdFallbackWarning, stacklevel=3 if target == DEFAULT else 4)


@contextmanager
def gathering(methods: list[SomdMethod[..., Any]]) -> Iterator[None]:
    """A block in which `@somd` notes each method in `methods` instead of checking it: tools look at all of a file."""
    token = _gathered.set(methods)
    try:
        yield
    finally:
        _gathered.reset(token)


def _check_once(function: FunctionType, owner: type | None) -> Reach | None:
    """What the source alone shows is wrong is said at decoration; a source found right is not analysed again. What the
    text reaches, if it was analysed here.

    A method that reads attributes of its object is looked at when its class is known (from Python 3.12 on), and one
    that needs the object itself, or to know which parameters are None, when it is first called.
    """
    if missing_globals(function) or (owner is None and _reads_its_object(function)):
        return None
    try:
        found = reach_of_source(function, owner)
    except NotKnownYet:
        return None
    key = source_key(function, found)
    if key is not None and (is_checked(key) or came_checked(function, found)):
        return None
    try:
        with making("checking"), one_at_a_time():
            from somd.transforms.pipeline import check_source

            check_source(function, found)
    except SomdCompileError:
        own = parameters_of(function)
        if any(path.tested and path.root in own for path in paths_of(function)):
            return None  # looked at as if all parameters were given; a call may give None, and take other branches
        raise
    if key is not None:
        mark_checked(key)
    return found


def is_checked(key: str) -> bool:
    """Whether the source with this key has passed before."""
    return read_own(cache_folder("checked", key[:32])) is not None


def mark_checked(key: str) -> None:
    """Note that the source with this key has passed."""
    write_whole(cache_folder("checked", key[:32]), b"")


def _reads_its_object(function: FunctionType) -> bool:
    first = next(iter(parameters_of(function)), None) if class_name_of(function) else None
    return first is not None and any(path.root == first and path.attributes for path in paths_of(function))


__all__ = ["SomdCompileError", "SomdMethod"]
