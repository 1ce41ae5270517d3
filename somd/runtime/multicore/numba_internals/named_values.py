"""Names that are values of LLVM's, and arguments that are not counted as used.

In: Numba's representation of a function with its types. Out: which of its names have no place in memory. Numba has them
for what one block assigns and reads. Here they are all that are assigned once, in front of each place that reads them:
LLVM comes to the same, from a place in memory, a store, and a load at each of these, all of which Numba writes and LLVM
reads. What a caller gives is the caller's until the call ends, so nothing is noted of its use, either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numba.core import analysis as _analysis
from numba.core import cpu as _cpu
from numba.core import ir as _ir_numba
from numba.core import lowering as _lowering
from numba.core import types as _types
from numba.core.unsafe import eh as _eh

from somd.runtime.multicore.numba_internals.convention import Builder, Context
from somd.runtime.multicore.numba_internals.lowering import cgutils

analysis: Any = _analysis
cpu: Any = _cpu
eh: Any = _eh
ir_numba: Any = _ir_numba
lowering: Any = _lowering
types: Any = _types

#: types of which nothing is to be released, known without looking at what they are made of
_PLAIN = (types.Number, types.Boolean, types.RangeType, types.RangeIteratorType, types.Function, types.NoneType)
_CONSTANT = (ir_numba.Const, ir_numba.Global, ir_numba.FreeVar, ir_numba.Arg)
#: a block and a statement in it
_Place = tuple[int, int]


class NamedValues(lowering.Lower):  # type: ignore[misc]
    """Numba's lowering with fewer names in memory."""

    _singly_assigned_vars: set[str]
    _blk_local_varmap: dict[str, Any]
    _borrowed: set[str]
    #: whether exceptions may be caught, so that blocks may be left in their midst for others
    _catches = True

    def init(self) -> None:
        super().init()
        if type(self.context) is cpu.CPUContext:  # a copy, for this function alone
            self.context.__class__ = Context

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.builder.__class__ = Builder
        self.builder.hands_on = not (self._elsewhere or self._catches)

    def _find_singly_assigned_variable(self) -> None:
        """What Numba calls to find the names without a place in memory."""
        self._borrowed = set()
        blocks = self.func_ir.blocks
        if self._elsewhere or analysis.must_use_alloca(blocks):
            super()._find_singly_assigned_variable()
            return
        found = _Assigned(blocks)
        self._catches = found.catches
        for name, (_, argument) in found.once.items():
            if argument is not None and self.typeof(name) == self.typeof(f"arg.{argument}"):
                self._borrowed.add(name)
        self._blk_local_varmap = {}
        self._singly_assigned_vars = {
            name
            for name in found.once
            if found.is_read_in_its_block(name)
            or ((name in self._borrowed or self._plain(self.typeof(name))) and found.is_read_behind(name))
        }
        self._borrowed &= self._singly_assigned_vars

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        if inst.target.name in self._borrowed:
            return self.fnargs[inst.value.index]
        return super().lower_assign(ty, inst)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if argidx is not None or self._elsewhere or not self._plain(self.typeof(name)):
            super().storevar(value, name, argidx)
            return
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        if self._elsewhere:
            return super().alloca_lltype(name, lltype, datamodel=datamodel)
        # Numba asks LLVM for the size, which only a debugger is told
        return cgutils.alloca_once(self.builder, lltype, name=name, zfill=False)

    def delvar(self, name: str) -> None:
        if self._elsewhere or not (name in self._borrowed or self._plain(self.typeof(name))):
            super().delvar(name)

    def lower_block(self, block: Any) -> None:
        # most of all statements say that a number is not needed any more; an array is released where its block ends,
        # since what a library is given of it is an address, which Numba does not know of
        if not self._elsewhere:
            left = ir_numba.Block(block.scope, block.loc)
            released: list[Any] = []
            assigned: set[str] = set()
            for each in reversed(block.body):
                if isinstance(each, ir_numba.Assign):
                    assigned.add(each.target.name)
                if not isinstance(each, ir_numba.Del) or each.value in assigned:
                    left.body.append(each)
                elif not isinstance(self.typeof(each.value), _PLAIN):
                    released.append(each)
            left.body[1:1] = released
            left.body.reverse()
            block = left
        super().lower_block(block)

    @property
    def _elsewhere(self) -> bool:
        """Whether names are found in other ways: by a debugger, or by a generator when it goes on."""
        return bool(self._disable_sroa_like_opt or self.generator_info)

    def _plain(self, kind: Any) -> bool:
        """Whether nothing is to be released with a value of a type."""
        return isinstance(kind, _PLAIN) or not self.context.data_model_manager[kind].contains_nrt_meminfo()


class _Assigned:
    """Where a function assigns and reads its names."""

    def __init__(self, blocks: dict[int, Any]) -> None:
        #: names with one assignment: its place, and the argument that it gives
        self.once: dict[str, tuple[_Place, str | None]] = {}
        self._blocks = blocks
        self._reads: dict[str, list[_Place]] = {}
        self._dominators: dict[int, set[int]] | None = None
        again = set()
        self.catches = False
        for label, block in blocks.items():
            for number, statement in enumerate(block.body):
                read: Iterable[Any] = ()
                if isinstance(statement, ir_numba.Assign):
                    name, value = statement.target.name, statement.value
                    if name in self.once:
                        again.add(name)
                    self.once[name] = (label, number), value.name if isinstance(value, ir_numba.Arg) else None
                    if isinstance(value, ir_numba.Var):
                        read = (value,)
                    elif not isinstance(value, _CONSTANT):
                        read = value.list_vars()
                    elif not isinstance(value, ir_numba.Arg):
                        self.catches |= value.value is eh.exception_check
                elif not isinstance(statement, ir_numba.Del):
                    read = statement.list_vars()
                for each in read:
                    self._reads.setdefault(each.name, []).append((label, number))
        for name in again:
            del self.once[name]

    def is_read_in_its_block(self, name: str) -> bool:
        """Whether only its block reads a name, behind the assignment."""
        label, number = self.once[name][0]
        return all(where == label and at > number for where, at in self._reads.get(name, ()))

    def is_read_behind(self, name: str) -> bool:
        """Whether all that reads a name comes behind the assignment, whichever way the function takes, and is written
        behind it, too."""
        label, number = self.once[name][0]
        if self.catches:
            return False
        if self._dominators is None:
            self._dominators = analysis.compute_cfg_from_blocks(self._blocks).dominators()
        return all(
            at > number if where == label else where > label and label in self._dominators.get(where, ())
            for where, at in self._reads.get(name, ())
        )
