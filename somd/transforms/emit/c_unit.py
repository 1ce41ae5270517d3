"""What the functions of one OpenCL program share: its names, the C functions that it uses, its helpers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from somd.elementary.functions import SINGLES
from somd.transforms.emit import c_faults, c_prelude
from somd.transforms.emit.c_complex_prelude import elementary_of
from somd.transforms.emit.c_elementary import elementary_name, elementary_texts
from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_tree import DOUBLES, OF_DOUBLES, C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.declared import counting
from somd.transforms.loops.program import Loop, Program, While
from somd.transforms.loops.trips import few_trips
from somd.transforms.loops.walking import called, statements_in
from somd.transforms.types.scalars import ScalarType, Type

#: the C type of the scalars that stay on the device
KEPT = "kept_scalars"


class Unit:
    """A program under construction. `helpers` maps the helpers met to their C text, in the order of definition;
    `structs` the types of the tuples that they return."""

    def __init__(
        self,
        kernel_names: Iterable[str],
        program: Program,
        types: Mapping[str, Type],
        kept: Mapping[str, ScalarType] = MappingProxyType({}),
        *,
        fused: bool = False,
    ) -> None:
        names = Names()
        #: whether products are added without being rounded
        self.fused = fused
        #: the scalars that stay on the device, and the names of their members
        self.kept = kept
        #: the types of the method's names
        self.types = types
        members = Names()
        self.members = {name: members.of(name) for name in kept}
        self.kernel_names = {name: names.of_kernel(name) for name in kernel_names}
        #: what the texts mention of the head of the program: double precision, constants, macros
        self.needs: set[str] = set()
        self.functions: dict[str, str] = {}
        self.helpers: dict[str, str] = {}
        self.structs: dict[str, str] = {}
        self._lasts: dict[str, bool] = {}
        self.program = program
        self.by_name = {function.name: function for function in program.functions}
        #: names of the method that only loops set
        self.counted = counting(program.body, (parameter.name for parameter in program.parameters))
        self._helper_names = {name: names.of(name) for name in self.by_name}
        self._leaving_names = {
            (name, noted): names.fresh(f"{self._helper_names[name]}_{'noted' if noted else 'well'}")
            for name in self.by_name
            for noted in (False, True)
        }
        #: names that mean something in the whole program
        helpers = (*self._helper_names.values(), *self._leaving_names.values())
        self.taken = frozenset((*self.kernel_names.values(), *helpers))

    def printed(self, made: C) -> C:
        """An expression of which the text is used."""
        self.needs |= made.mentions
        return made

    def function(self, kind: str, dtype: str) -> str:
        """The name of a function of the prelude."""
        name = c_prelude.function_name(kind, dtype)
        if name not in self.functions:
            for other in c_prelude.called(kind, dtype):
                self.function(*other)
        text = c_prelude.function_text(kind, dtype)
        self.needs |= c_prelude.needs(kind, dtype)
        for own in elementary_of(text):
            self.elementary(own, "float64")
        self.functions.setdefault(name, text)
        return name

    def elementary(self, name: str, dtype: str) -> str:
        """The name of a function of `somd.elementary`, of floats of `dtype`."""
        for each, text in elementary_texts(name, dtype).items():
            self.functions.setdefault(each, text)
        if dtype == "float64" or name not in SINGLES:
            self.needs.add(DOUBLES)
        return elementary_name(name, dtype)

    def compare(self) -> str:
        self.functions.setdefault("python_compare_long_ulong", c_prelude.COMPARE)
        return "python_compare_long_ulong"

    def another(self) -> None:
        """The program needs the test of relaxed reads."""
        self.functions.setdefault("python_another", c_prelude.ANOTHER)

    def from_end(self) -> str:
        self.functions.setdefault("python_from_end", c_prelude.FROM_END)
        return "python_from_end"

    def fault_place(self) -> str:
        """The name of the function that tests an index."""
        self._noting()
        return "fault_place"

    def fault_later(self) -> str:
        """The name of the function that tests an index in kernels that note faults at their end."""
        self._noting()
        self.functions.setdefault("fault_later", c_faults.LATER)
        return "fault_later"

    def near(self) -> str:
        """The name of the function that brings an index inside, and tells if it was not."""
        self.functions.setdefault("place_near", c_faults.NEAR)
        return "place_near"

    def far_apart(self) -> str:
        """The name of the function that tells whether the limits of a loop are far from each other."""
        self.functions.setdefault("far_apart", c_faults.FAR_APART)
        return "far_apart"

    def quotient_near(self, dtype: str) -> str:
        """The name of the function that divides floats, and tells if it may not have rounded right."""
        return self._near("quotient_near", dtype, c_faults.QUOTIENT, c_faults.QUOTIENT_OF_DOUBLES)

    def root_near(self, dtype: str) -> str:
        """The name of the function that takes roots of floats, and tells if it may not have rounded right."""
        return self._near("root_near", dtype, c_faults.ROOT, c_faults.ROOT_OF_DOUBLES)

    def _near(self, name: str, dtype: str, of_singles: str, of_doubles: str) -> str:
        name, text = (name, of_singles) if dtype == "float32" else (f"{name}_double", of_doubles)
        self.functions.setdefault(name, text)
        return name

    def well(self, noted: str, number: str) -> str:
        """The test that neither the iteration nor a lower one has failed yet; `noted` keeps the first fault, if faults
        are noted at the end."""
        if noted:
            self.fault_later()
            return f"({noted}.site == 0 || {noted}.iteration > {number})"
        self.functions.setdefault("fault_none", c_faults.WELL)
        return f"fault_none(faults, {number})"

    def _noting(self) -> None:
        self._fault_row()
        self.functions.setdefault("fault_note", c_faults.NOTE)

    def _fault_row(self) -> None:
        self.functions.setdefault("fault_row", c_faults.ROW)
        self.needs |= {"FAULT_ROWS", "FAULT_ROW"}

    def fault_raise(self, words: int) -> str:
        """The name of the function that notes a `raise` with so many words of values."""
        name = c_faults.raise_name(words)
        self._fault_row()
        self.functions.setdefault(name, c_faults.raise_text(words))
        return name

    def tested_access(self, store: bool, dtype: str, ndim: int, where: str, later: bool = False) -> str:
        _ = self.fault_later() if later else self.fault_place()
        name = c_faults.access_name(store, dtype, ndim, where, later)
        self.functions.setdefault(name, c_faults.access_text(store, dtype, ndim, where, later))
        return name

    def kept_struct(self) -> str:
        """The C type of the scalars that stay on the device."""
        members = "\n".join(f"    {CTYPES[kind.dtype]} {self.members[name]};" for name, kind in self.kept.items())
        return f"typedef struct {{\n{members}\n}} {KEPT};"

    def struct(self, dtypes: Sequence[str]) -> str:
        """The C type of a tuple of scalars that a function returns; its members are `part_0`, `part_1`, ..."""
        name = "_".join(["python_tuple", *dtypes])
        self.needs |= {DOUBLES for dtype in dtypes if dtype in OF_DOUBLES}
        members = "\n".join(f"    {CTYPES[dtype]} part_{k};" for k, dtype in enumerate(dtypes))
        self.structs.setdefault(name, f"typedef struct {{\n{members}\n}} {name};")
        return name

    def result_of(self, function: str) -> tuple[str, ...]:
        """The dtypes of what a function of the program returns."""
        return tuple(part.dtype for part in self.by_name[function].result)

    def helper(self, function: str) -> str:
        """The C name of a function of the program, which is printed when first met."""
        from somd.transforms.emit.c_functions import function_text

        name = self._helper_names[function]
        if name not in self.helpers:
            self.helpers[name] = function_text(self.by_name[function], name, self)
        return name

    def leaving_helper(self, function: str, noted: bool) -> str:
        """The same of one that ends where the iteration that calls it has failed, as the first fault tells that is
        `noted`, or the record."""
        from somd.transforms.emit.c_functions import function_text

        name = self._leaving_names[function, noted]
        if name not in self.helpers:
            self.helpers[name] = function_text(self.by_name[function], name, self, "noted" if noted else "faults")
        return name

    def lasts(self, function: str) -> bool:
        """Whether a function may run for ever for some numbers."""
        if function not in self._lasts:
            node = self.by_name[function]
            counted = counting(node.body, [parameter.name for parameter in node.parameters])
            self._lasts[function] = any(
                isinstance(each, While) or (isinstance(each, Loop) and not few_trips(each, counted))
                for each in statements_in(node.body)
            ) or any(map(self.lasts, called(node.body)))
        return self._lasts[function]
