"""Numba's helpers for functions whose LLVM code is written by hand: see `arrays`, `integers` and their like."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils as _cgutils
from numba.core.datamodel import models as _models
from numba.core.typing import npydecl as _npydecl
from numba.core.typing import templates as _templates
from numba.cpython.unsafe import tuple as _tuples
from numba.np import arrayobj as _arrayobj

#: short ways to write LLVM code: variables, conditions, tuples
cgutils: Any = _cgutils
#: how a function's types are told to Numba
templates: Any = _templates
#: the element type that a `dtype` argument stands for
parse_dtype: Any = _npydecl.parse_dtype
#: a tuple with one entry exchanged
tuple_setitem: Any = _tuples.tuple_setitem
#: the members of an array, in LLVM code
make_array: Any = _arrayobj.make_array
populate_array: Any = _arrayobj.populate_array
#: where an element of an array is
get_item_pointer: Any = _cgutils.get_item_pointer
#: what a type is in LLVM code
models: Any = _models
