"""What is known to have no effect outside of the values that it is given: calls, operators, attributes.

Everything is told by the value that a name stands for when it is met, not by the name. What stands in no table here is
not run.
"""

from __future__ import annotations

import operator
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import ValuesView
from enum import Enum, EnumMeta
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any
from weakref import WeakSet

import numpy as np

from somd.arguments.instead import is_stream

_BUILTINS = (
    "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset "
    "hex int isinstance issubclass len list map max min next object oct ord pow property range repr reversed "
    "round set slice sorted staticmethod classmethod str sum tuple zip"
)
_NUMPY = (
    "all allclose amax amin any append arange argmax argmin argsort argwhere around array array_equal asanyarray "
    "asarray ascontiguousarray asfortranarray atleast_1d atleast_2d atleast_3d average bartlett bincount blackman "
    "block broadcast_arrays broadcast_shapes broadcast_to ceil clip column_stack concatenate convolve copy "
    "corrcoef correlate count_nonzero cov cross cumprod cumsum deg2rad delete diag diagonal diff digitize dot "
    "dsplit dstack dtype einsum empty empty_like errstate expand_dims eye finfo flatnonzero flip fliplr flipud "
    "full full_like geomspace gradient hamming hanning histogram hsplit hstack identity iinfo imag in1d indices "
    "inner insert interp isclose iscomplexobj isin isreal isrealobj isscalar issubdtype ix_ kaiser kron lexsort "
    "linspace logspace mask_indices matmul max mean median meshgrid min moveaxis nan_to_num nanmax nanmean nanmin "
    "nansum ndarray ndim nonzero ones ones_like outer pad partition percentile poly polyfit polyval prod "
    "promote_types ptp put_along_axis quantile rad2deg ravel ravel_multi_index real repeat reshape resize "
    "result_type roll rollaxis rot90 round row_stack searchsorted select shape shares_memory sign sinc size sort "
    "split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace transpose trapezoid trapz tri "
    "tril tril_indices trim_zeros triu triu_indices unique unravel_index unwrap vander var vdot vsplit vstack "
    "where zeros zeros_like iterable can_cast min_scalar_type"
)
_OF_ARRAYS = (
    "all any argmax argmin argsort astype byteswap clip compress conj conjugate copy cumprod cumsum diagonal dot "
    "fill flatten item max mean min nonzero partition prod ptp put ravel repeat reshape round searchsorted "
    "setflags sort squeeze std sum swapaxes take tobytes tolist trace transpose var view newbyteorder"
)
_OF_GENERATORS = (
    "beta binomial bytes choice exponential gamma integers lognormal multinomial normal permutation permuted "
    "poisson random shuffle standard_normal triangular uniform"
)
#: calls of these with what they are found in; those of the second table may be given functions, which they only keep
_CALLS: dict[str, str] = {
    "builtins": _BUILTINS,
    "numpy": _NUMPY,
    "numpy.linalg": "cholesky det eig eigh eigvals eigvalsh inv norm pinv qr solve svd matrix_power matrix_rank",
    "numpy.fft": "fft fft2 fftn fftfreq fftshift ifft ifft2 ifftn ifftshift irfft rfft rfftfreq",
    "somd.random": "Stream",
    "operator": " ".join(name for name in operator.__all__ if name not in ("call", "methodcaller", "attrgetter")),
    "collections": "Counter OrderedDict deque namedtuple defaultdict",
    "fractions": "Fraction",
    "decimal": "Decimal",
    "copy": "copy deepcopy",
    "enum": "Enum Flag IntEnum IntFlag StrEnum",
}
_KEEPERS: dict[str, str] = {
    "builtins": "callable classmethod dict enumerate isinstance issubclass len list property staticmethod tuple",
    "abc": "abstractmethod",
    "contextlib": "contextmanager",
    "dataclasses": "dataclass field",
    "enum": "auto unique",
    "functools": "cache cached_property lru_cache partial total_ordering update_wrapper wraps",
    "numba": "generated_jit guvectorize jit njit stencil vectorize",
    "numpy": "vectorize",
    "somd": "Block BlockBlock ByKey Chunked Cyclic Weighted dim dist like partition polyview reduce shared "
    "somd sync view",
    "types": "MappingProxyType SimpleNamespace",
    "typing": "NamedTuple NewType ParamSpec TypeVar TypeVarTuple TypedDict Union cast final no_type_check overload "
    "override runtime_checkable",
    "typing_extensions": "NewType ParamSpec TypeVar TypedDict cast final overload override runtime_checkable",
}
#: packages whose objects have operators and attributes without effects
_KNOWN = frozenset(
    "abc builtins collections dataclasses decimal enum fractions functools numpy somd sys types typing".split()  # noqa: SIM905
)
#: what `somd(target=...)`, `dataclass(frozen=True)` and their like give: functions that take the definition
_MAKERS = frozenset(("somd.calls.decorator", "dataclasses", "functools", "numba.core.decorators"))
_DEEPEST = 16
_MANY = 10**7
_LONG = 10**5


def may_call(function: object, keeps: bool = False) -> bool:
    """Whether a call has no effect; with `keeps`, whether that holds although functions of the user's are given."""
    if isinstance(function, FunctionType) and function.__module__ in _MAKERS and "<locals>" in function.__qualname__:
        return True
    if function is sys.modules.get("somd"):  # the package decorates, too
        return True
    if _in(_KEEPERS, function) or _is_method(function, keeps):
        return True
    if keeps:
        return False
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is function
    if isinstance(function, type) and issubclass(function, np.generic | BaseException):
        return function.__module__ in ("numpy", "builtins")
    if isinstance(function, BuiltinFunctionType) and function.__module__ in ("math", "cmath"):
        return getattr(sys.modules[function.__module__], function.__name__, None) is function
    return _in(_CALLS, function)


def _in(table: dict[str, str], function: object) -> bool:
    for module, names in table.items():
        found = sys.modules.get(module)
        if found is not None and any(vars(found).get(name) is function for name in names.split()):
            return True
    return False


def _is_method(function: object, keeps: bool) -> bool:
    """Whether it is a method of a known value, and no more than computes with that value or changes it."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, np.random.Generator):
        return not keeps and name in _OF_GENERATORS.split()
    if owner is None or isinstance(owner, ModuleType) or isinstance(function, MethodType):
        return not keeps and is_stream(owner) and name == "child"
    if isinstance(owner, type):
        return owner in (dict, bytes, int, float) and name in ("fromkeys", "fromhex", "from_bytes")
    if type(owner) in _CONTAINERS:
        return name != "sort" or not keeps
    if isinstance(owner, property):
        return name in ("getter", "setter", "deleter")
    if keeps:
        return False
    if isinstance(owner, np.ndarray | np.generic):
        return name in _OF_ARRAYS.split()
    if isinstance(owner, np.ufunc):
        return may_call(owner) and name in ("accumulate", "outer", "reduce")
    return isinstance(owner, _PLAIN) and not is_own(type(owner))


#: classes of the user's; no object is made of a class whose operators would run his code
own_classes: WeakSet[type] = WeakSet()
special_classes: WeakSet[type] = WeakSet()


def is_own(kind: type) -> bool:
    """Whether a class is the user's, or made from one of his."""
    return any(each in own_classes for each in kind.__mro__)


def is_known(value: object) -> bool:
    """Whether operators and attributes of a value run nothing but Python's, NumPy's and somd's own code."""
    return is_own(type(value)) or type(value).__module__.partition(".")[0] in _KNOWN


def may_subscript(kind: type) -> bool:
    """Whether `kind[...]` runs no code of the user's: it is a type with arguments, or a member of an enumeration."""
    return not any("__class_getitem__" in vars(each) for each in kind.__mro__ if each in own_classes)


def is_library_base(kind: type) -> bool:
    """Whether a class has no part in making its subclasses, but Python's own ones."""
    others = (each for each in kind.__mro__ if each not in own_classes and "__init_subclass__" in vars(each))
    return all(each.__module__.partition(".")[0] in _KNOWN for each in others)


def holds_own(value: object, depth: int = 0) -> bool:
    """Whether an object of a class of the user's is in a value: a library may look for attributes of it."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.hasobject)
    if is_own(type(value)) and not isinstance(value, Enum):
        return True
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(parts, list | tuple | set | deque | ValuesView):
        return False
    return depth > _DEEPEST or any(holds_own(each, depth + 1) for each in parts)


def is_class_to_ask(kind: object) -> bool:
    """Whether `isinstance(value, kind)` runs nothing of the user's."""
    if isinstance(kind, tuple):
        return all(map(is_class_to_ask, kind))
    return not isinstance(kind, type) or not is_own(kind) or type(kind) in (type, EnumMeta)


def is_shared(value: object) -> bool:
    """Whether a value of an installed module is one that all of the process would see changed."""
    return isinstance(value, list | dict | set | bytearray | deque | np.ndarray)


def may_change(value: object) -> bool:
    """Whether a call that is given a value may change what the value holds."""
    if isinstance(value, list | dict | set | bytearray | deque | SimpleNamespace | np.ndarray | np.random.Generator):
        return True
    if isinstance(value, ModuleType | Enum):
        return False
    return is_own(type(value)) or not (is_known(value) or callable(value))


def is_large(operation: object, left: Any, right: Any) -> bool:
    """Whether an operation would take long: its result has very many digits or elements."""
    if operation in (operator.pow, operator.ipow) and isinstance(left, int) and isinstance(right, int):
        return abs(left).bit_length() * abs(right) > _LONG
    if operation in (operator.lshift, operator.ilshift) and isinstance(right, int):
        return right > _LONG
    if operation in (operator.mul, operator.imul):
        pairs = ((left, right), (right, left))
        return any(isinstance(a, _SEQUENCES) and isinstance(b, int) and len(a) * b > _MANY for a, b in pairs)
    return False


def is_long(value: object) -> bool:
    """Whether going through a value takes long."""
    return isinstance(value, range) and len(value) > _MANY


_CONTAINERS = (list, dict, set, bytearray, deque, defaultdict, OrderedDict, Counter)
_SEQUENCES = (str, bytes, bytearray, list, tuple)
_PLAIN = (bool, int, float, complex, str, bytes, tuple, frozenset, range, slice, np.generic, np.dtype)
