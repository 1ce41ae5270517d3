"""Functions of NumPy that a method has called as they are, between its loops: sorts, solvers, transforms, histograms.

In: the text of a call with names for its arrays and numbers, and what these and the results are. Out: what calls it, in
plain Python, on every target; results are new arrays in C order, and of the types that were found for them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError
from somd.syntax import module_of

#: dtype, number of axes, and whether it is a Python number
Kind = tuple[str, int, bool]
#: text of the call; what each name in it is; what each result is; whether the results are a tuple; file, line and
#: function of the call
Row = tuple[str, tuple[Kind, ...], tuple[Kind, ...], bool, tuple[str, int, str]]
#: where functions stand, by their names below `np`
MODULES: dict[str, ModuleType] = {"": np, "linalg": np.linalg, "fft": np.fft}
_NEW = """
    append argpartition argsort argwhere array average bartlett blackman block choose compress convolve
    corrcoef correlate cov cross delete diagflat digitize dstack ediff1d extract fix flatnonzero flatten geomspace
    gradient hamming hanning histogram histogram2d i0 in1d indices insert interp intersect1d isclose isin kaiser kron
    lexsort logspace median meshgrid nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
    nanpercentile nanprod nanquantile nanstd nansum nanvar nonzero partition percentile poly polyfit polymul polyval
    quantile resize roots searchsorted select setdiff1d setxor1d sinc sort take take_along_axis trapezoid trapz union1d
    unique unwrap vander allclose array_equal
    linalg.cholesky linalg.cond linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq
    linalg.matrix_rank linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd
    fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.irfft fft.irfft2
    fft.rfft fft.rfft2 fft.rfftfreq
"""
#: functions whose results are arrays of their own, whatever they are given
NEW = frozenset(_NEW.split())
_SHARING = """
    array_split asarray ascontiguousarray atleast_1d atleast_2d atleast_3d diag dsplit expand_dims hsplit
    linalg.matrix_power linalg.multi_dot moveaxis polyadd polyder polyint polysub ravel reshape rollaxis rot90 split
    squeeze transpose trim_zeros vsplit
"""
#: those whose results may be in the memory of what they are given
SHARING = frozenset(_SHARING.split())
#: methods of arrays that are called so
METHODS = frozenset(["argpartition", "argsort", "choose", "compress", "flatten", "nonzero", "ravel", "reshape"])
METHODS |= {"searchsorted", "squeeze", "take", "transpose"}
#: those that write nothing that they are given, whatever else they are told but an `out`
READING = frozenset(["convolve", "correlate", "digitize", "histogram", "interp", "searchsorted", "take"])
OF_UFUNCS = ("accumulate", "outer", "reduce", "reduceat")


def only_reads(text: str) -> bool:
    """Whether a call of this text writes no argument, as its function shows."""
    return text.partition("(")[0].rpartition(".")[2] in READING and "out" not in text and text.count(",") < 3


def library_name(function: object) -> str | None:
    """The name below `np` of a function that is called as it is, or would be; None for all others."""
    name = getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        return name if getattr(np, name, None) is function else None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc) and name in OF_UFUNCS:
        return f"{owner.__name__}.{name}"
    for module, where in MODULES.items():
        known = f"{module}.{name}" if module else name
        if (known in NEW or known in SHARING) and getattr(where, name, None) is function:
            return known
    return None


@dataclass(frozen=True)
class LibraryCall:
    """What calls the function of a row, with the arguments that its names stand for."""

    row: Row
    function: Callable[..., Any]

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """The results.

        Raises:
            Exception: what the function raises; its traceback names the line of the call.
            SomdRuntimeError: SOMD614, a result is of another type than was found for it.
        """
        text, _, kinds, several, place = self.row
        found = self.function(*values)
        if not several:
            return (_result(found, values, kinds[0], text, place),)
        parts = tuple(found)
        if len(parts) != len(kinds):
            raise _unlike(text, f"{len(parts)} results", f"{len(kinds)}", place)
        return tuple(_result(each, values, kind, text, place) for each, kind in zip(parts, kinds, strict=True))


def library_call(row: Row, file: str) -> LibraryCall:
    """What calls the function of a row of a method, whose own file is told."""
    return LibraryCall(row, _function(row, file))


def _function(row: Row, file: str) -> Callable[..., Any]:
    text, parameters, _, _, (named, line, name) = row
    names = ", ".join(f"given_{k}" for k in range(len(parameters)))
    tree = module_of(f"def f({names}):\n    return {text}\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.arg):
            node.lineno = node.end_lineno = line
    place = file if file.endswith(named) else named
    whole = compile(tree, place, "exec", dont_inherit=True, optimize=0)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    return FunctionType(code.replace(co_name=name, co_qualname=name, co_firstlineno=line), {"np": np}, name)


def _result(found: Any, values: tuple[Any, ...], kind: Kind, text: str, place: tuple[str, int, str]) -> Any:
    """What a call with `values` gave, in memory that is not theirs."""
    dtype, rank, weak = kind
    if rank:
        flags: Any = getattr(found, "flags", None)
        is_own = type(found) is np.ndarray and flags.owndata and flags.c_contiguous
        for each in values:
            is_own = is_own and found is not each
        array = found if is_own else np.array(found, order="C", copy=True, subok=False)
        if array.dtype != _dtype(dtype) or array.ndim != rank:
            raise _unlike(text, f"{array.dtype} with {array.ndim} axes", f"{dtype} with {rank}", place)
        return array
    number = found[()] if isinstance(found, np.ndarray) and found.ndim == 0 else found
    wanted = _number_type(dtype, weak)
    if type(number) is not wanted:
        raise _unlike(text, type(number).__name__, wanted.__name__, place)
    return number


#: NumPy's dtypes by their names
_dtype = functools.cache(np.dtype)


@functools.cache
def _number_type(dtype: str, weak: bool) -> Any:
    """The type of a number of a dtype: Python's or NumPy's."""
    return {"b": bool, "i": int, "f": float, "c": complex}[_dtype(dtype).kind] if weak else _dtype(dtype).type


def _unlike(text: str, found: str, wanted: str, place: tuple[str, int, str]) -> SomdRuntimeError:
    call = text.partition("(")[0]
    message = (
        f"`{call}` at {place[0]}, line {place[1]}, gives {found}; with other arguments of these types it gives {wanted}"
    )
    return SomdRuntimeError(f"{message}: call it before the method, and pass its result", "SOMD614")
