"""Large new arrays of a master lie in huge pages, where the system gives them to those who ask, as NumPy's do.

The system gives memory page by page, when each is written first. With pages of 4 KB that can take longer than all that
is computed; pages of 2 MB are 512 times as few. NumPy asks for them for arrays of 4 MB and more, and so does this: what
Numba calls to allocate becomes a function that calls it, and then `madvise`.

In: the module of a master, linked. Out: the same module. Elsewhere than on Linux nothing is done.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import binding as _binding
from llvmlite import ir as _ir

binding: Any = _binding
ir: Any = _ir

#: what Numba allocates arrays by: of a size and an alignment it gives the address of both its notes and the elements
_NUMBAS, _OURS = "NRT_MemInfo_alloc_aligned", "somd.alloc_aligned"
#: NumPy's: the bytes from which on it asks, and those of a small page
_LEAST, _PAGE = 1 << 22, 4096
#: `madvise`'s word for huge pages
_HUGE = 14
_BYTE, _INT, _WORD = (ir.IntType(width) for width in (8, 32, 64))
_BYTES = _BYTE.as_pointer()
_ALLOCATE = ir.FunctionType(_BYTES, [_WORD, _INT])
_ADVISE = ir.FunctionType(_INT, [_BYTES, _WORD, _INT])


def ask_for_huge_pages(module: Any) -> None:
    """Let a linked module ask for huge pages where it allocates an array."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return
    called = [function for function in module.functions if function.name == _NUMBAS and function.is_declaration]
    for function in called:
        function.name = _OURS
        module.link_in(binding.parse_assembly(_text()))


def _text() -> str:
    """The function that allocates, and asks."""
    made = ir.Module()
    numbas = ir.Function(made, _ALLOCATE, _NUMBAS)
    advise = ir.Function(made, _ADVISE, "madvise")
    ours = ir.Function(made, _ALLOCATE, _OURS)
    ours.linkage = "linkonce_odr"
    ours.attributes.add("noinline")
    ours.return_value.add_attribute("noalias")
    size, alignment = ours.args
    builder = ir.IRBuilder(ours.append_basic_block())
    memory = builder.call(numbas, [size, alignment])
    address = builder.ptrtoint(memory, _WORD)
    large = builder.icmp_unsigned(">=", size, _WORD(_LEAST))
    with builder.if_then(builder.and_(large, builder.icmp_unsigned("!=", address, _WORD(0)))):
        less = builder.sub(_WORD(_PAGE), builder.urem(address, _WORD(_PAGE)))
        start = builder.inttoptr(builder.add(address, less), _BYTES)
        builder.call(advise, [start, builder.sub(size, less), _INT(_HUGE)])  # a wish: nobody minds if it fails
    builder.ret(memory)
    return str(made)
