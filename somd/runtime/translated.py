"""What translated modules import so that their methods are called like the user's own.

In: a generated master with the tables of its module, and the argument types that it was made for. Out: a function of
the arguments alone. Arguments are checked as in any call of a SOMD method, and workers and device chosen as there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any

from somd.arguments.overlaps import check_writeable, same_arrays
from somd.arguments.signatures import describe_all, with_floats
from somd.capture.annotations import annotation_of
from somd.errors import SomdRuntimeError
from somd.language.combining import combine_of, joins_of
from somd.language.markers import Partition, markers_of
from somd.settings.config import settings_for
from somd.settings.targets import TARGETS, target_of

Call = Callable[[tuple[Any, ...], int], Any]
#: what is declared and given where an int is told from a float
_TOLD = ("float", "int")


class TranslatedMethod:
    """A method of a translated module, for the argument types of its `signature`.

    `as_written` is the user's function, where its annotations or its body take part in a call; `raises` gives what its
    exceptions are made of; at the positions `takes_ints` an int may stand for a float, and nothing tells them apart.
    """

    def __init__(
        self,
        master: Any,
        target: str,
        signature: tuple[str, ...],
        as_written: FunctionType | None,
        defaults: Mapping[str, Any],
        raises: Callable[[], Mapping[str, Any]] | None = None,
        takes_ints: tuple[int, ...] = (),
    ) -> None:
        function: FunctionType = getattr(master, "py_func", master)
        self.__name__, self.__qualname__, self.__module__ = (
            function.__name__,
            function.__qualname__,
            function.__module__,
        )
        self.__doc__ = function.__globals__.get("__doc__")
        self.target = target
        self.signature = signature
        names = list(inspect.signature(function).parameters)
        first = target_of(target).leading
        self._names = tuple(names[first : first + len(signature)])
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(n, kind, default=defaults.get(n, inspect.Parameter.empty)) for n in self._names]
        )
        self._master = master
        self._tables = function.__globals__
        self._as_written = as_written
        self._raises = raises
        self._takes_ints = takes_ints
        self._arrays = tuple(k for k, text in enumerate(signature) if text.endswith("]"))
        self._calls: dict[Any, Call] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the method.

        Raises:
            TypeError: the arguments are not of the types that the module was made for.
            IndexError: an access leaves its array.
            BaseException: what the method raises.
            SomdRuntimeError: arguments overlap in memory, or the device failed.
        """
        values: tuple[Any, ...] = args
        if kwargs or len(args) != len(self._names):
            bound = self.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            values = tuple(bound.arguments.values())
        found = describe_all(values, self._names)
        if found != self.signature:
            values = with_floats(values, self._takes_ints) or values
            found = describe_all(values, self._names)
        if found != self.signature:
            wanted = ", ".join(f"{name}: {text}" for name, text in zip(self._names, self.signature, strict=True))
            message = f"{self.__name__} was translated for {wanted}; it is called with {', '.join(found)}"
            told = [
                n for n, one, other in zip(self._names, self.signature, found, strict=True) if (one, other) == _TOLD
            ]
            if told:
                message += f": pass `float({told[0]})`, or translate it for such an int, which gives another result"
            raise TypeError(message)
        self._check(values)
        settings = settings_for(self.__qualname__, self.__module__)
        result = self._call(settings.device_of(self.target))(values, settings.workers)
        combine = None if self._as_written is None else combine_of(self._as_written)
        return result if combine is None else combine(result, values)

    def _check(self, values: tuple[Any, ...]) -> None:
        written: tuple[int, ...] = self._tables["WRITTEN"]
        if written and len(self._arrays) > 1:
            for one, other in same_arrays(written, self._arrays, values, self._names, self._names):
                message = f"`{one}` and `{other}` are one array, which the translated code does not expect: pass a copy"
                raise SomdRuntimeError(message, "SOMD309")
        check_writeable(written, values, self._names)

    def _call(self, device: Any) -> Call:
        if device not in self._calls:
            self._calls[device] = self._made(device)
        return self._calls[device]

    def _made(self, device: Any) -> Call:
        module: Any = SimpleNamespace(**{**self._tables, self.__name__: self._master})
        function = self._as_written
        joins = () if function is None else joins_of(function, self._tables.get("FENCES", ()))
        partitioners = {} if function is None else self._partitioners(function)
        return target_of(self.target).load(module, self.__name__, device, partitioners, joins, names=self._raises)

    def _partitioners(self, function: FunctionType) -> dict[int, Any]:
        return {
            k: marker.partitioner
            for k, name in enumerate(self._names)
            for marker in markers_of(annotation_of(function, name))[1]
            if isinstance(marker, Partition)
        }

    def __repr__(self) -> str:
        return f"<{self.__name__}, translated for {self.target}>"


def __getattr__(name: str) -> Callable[..., Callable[[Any], TranslatedMethod]]:
    """`<target>_method`: what makes a master of the target a method for arguments of the types that are given."""
    target, _, kind = name.rpartition("_")
    if kind != "method" or target not in TARGETS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def method(
        *signature: str,
        as_written: Any = None,
        defaults: Mapping[str, Any] | None = None,
        raises: Any = None,
        takes_ints: tuple[int, ...] = (),
    ) -> Callable[[Any], TranslatedMethod]:
        return lambda master: TranslatedMethod(
            master, target, signature, as_written, defaults or {}, raises, takes_ints
        )

    return method
