"""The master's statements for a phase that updates arrays in private copies.

all_trips = trips(0, a.shape[0], 1)
blocks, block_trips = copy_blocks(all_trips, all updates, h.shape[0])
h_copies = copies_of(run, h, blocks, np.float64(-0.0))
run.launch("f_1", (blocks,), (a, h_copies, h_copies.shape[-1], blocks, ...), reads=(a,), writes=(h_copies,))
combine_copies(run, "f_1_h", h, h_copies)

Where the updates can be atomic, `shares_of` says whether the device is better off with that: in local memory, or in
the array itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.transforms.emit.c_names import Names
from somd.transforms.emit.c_reductions import identity
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Argument, Kernel
from somd.transforms.opencl.atomic_kernels import Atomic
from somd.transforms.opencl.combining_kernels import element_type
from somd.transforms.opencl.host_code import HostCode
from somd.transforms.opencl.launches import Launch, Shared
from somd.transforms.plan.work import updates_text
from somd.transforms.reserved import MARK
from somd.transforms.stages import Nest


class CombiningLaunch(Launch):
    """Writes one phase; `joining` are the kernels that combine the copies, by array."""

    def __init__(
        self,
        nest: Nest,
        kernel: Kernel,
        code: HostCode,
        names: Names,
        shared: Shared,
        joining: Mapping[str, Kernel],
        atomic: Atomic | None = None,
    ) -> None:
        super().__init__(nest, kernel, code, names, shared)
        self.joining = joining
        self.atomic = atomic
        self.shares = names.fresh("shares") if atomic is not None else ""
        self.copies = {each.array: names.fresh(f"{each.array}_copies") for each in nest.combined}

    def launched(self) -> list[cst.BaseStatement]:
        counted = tree.assign(tree.name(self.trips), self.extent(self.nest.dims[0], exact=True))
        if self.atomic is None:
            return [counted, *self.in_copies()]
        shares = tree.name(self.shares)
        usual, arrays = self.kernel, dict(self.copies)
        self.copies.clear()  # the arrays themselves are updated
        launches = []
        for kernel in (self.atomic.local, self.atomic.shared):
            self.kernel = kernel
            sizes = tree.attribute(shares, "groups"), tree.attribute(shares, "lanes")
            launches.append(tree.block([self._call("launch_groups", *sizes)]))
        self.kernel = usual
        self.copies.update(arrays)
        copies = cst.Else(tree.block([*self.in_copies(), *self.joined()]))
        others = cst.If(tree.attribute(shares, "groups"), launches[1], copies)
        chosen = cst.If(tree.attribute(shares, "slices"), launches[0], others)
        return [counted, tree.assign(shares, self.shares_of(self.atomic)), chosen]

    def shares_of(self, atomic: Atomic) -> cst.BaseExpression:
        sizes = {each.array: size for each, size in zip(self.nest.combined, self.element_counts(), strict=True)}
        weight = max((each.weight for each in atomic.counted), default=0)
        inner = [self.extent(self.nest.dims[1], exact=True)] if len(self.nest.dims) > 1 else []
        return tree.call(
            tree.brought("shares_of"),
            tree.name(self.code.run),
            cst.SimpleString(f'"{atomic.local.name}"'),
            self.updates(),
            tree.tuple_of([cst.parse_expression(sizes[each.array]) for each in atomic.counted]),
            tree.tuple_of([tree.integer(each.words) for each in atomic.counted]),
            tree.integer(weight),
            *inner,
        )

    def in_copies(self) -> list[cst.BaseStatement]:
        """The launch of a work-item for each logical block, with copies of its own."""
        pair = cst.Tuple([cst.Element(tree.name(n)) for n in (self.blocks, self.length)], lpar=[], rpar=[])
        count, blocks = tree.name(self.trips), tree.name(self.blocks)
        found: list[cst.BaseStatement] = [
            tree.assign(pair, tree.call(tree.brought("copy_blocks"), count, self.updates(), self.elements())),
            *self.partial_results(),
        ]
        for each in self.nest.combined:
            dtype = element_type(each.array, self.code.types.names)
            value = identity(each.op, dtype).value
            neutral = tree.call(tree.brought("empty_product"), tree.dtype(dtype))
            if value is not None:
                neutral = tree.call(tree.dtype(dtype), tree.number(value))
            run = tree.name(self.code.run)
            made = tree.call(tree.brought("copies_of"), run, tree.name(each.array), blocks, neutral)
            found.append(tree.assign(tree.name(self.copies[each.array]), made))
        return [*found, *self.with_rows(blocks)]

    def finished(self) -> list[cst.BaseStatement]:
        return [*([] if self.atomic is not None else self.joined()), *super().finished()]

    def joined(self) -> list[cst.BaseStatement]:
        """The copies of each array, combined with it."""
        found: list[cst.BaseStatement] = []
        for each in self.nest.combined:
            kernel = cst.SimpleString(f'"{self.joining[each.array].name}"')
            arrays = tree.name(each.array), tree.name(self.copies[each.array])
            call = tree.call(tree.brought("combine_copies"), tree.name(self.code.run), kernel, *arrays)
            found.append(tree.line(call))
        return found

    def updates(self) -> cst.BaseExpression:
        def text(node: cst.BaseExpression) -> str:
            return cst.Module([]).code_for_node(self.limit(node))

        return cst.parse_expression(updates_text(self.nest, self.code.method, text, f"{MARK}trips"))

    def elements(self) -> cst.BaseExpression:
        """The elements of a copy of each array together."""
        return cst.parse_expression(" + ".join(self.element_counts()))

    def element_counts(self) -> list[str]:
        """The elements of each array."""
        found = []
        for each in self.nest.combined:
            array = self.code.types.names[each.array]
            found.append(" * ".join(f"{each.array}.shape[{axis}]" for axis in range(array.ndim)))  # type: ignore[union-attr]
        return found

    def reads(self) -> list[str]:
        return [name for name in super().reads() if name not in self.copies]

    def writes(self) -> list[str]:
        return [self.copies.get(name, name) for name in super().writes()]

    def passed(self, argument: Argument) -> cst.BaseExpression:
        if argument.kind == "copies":
            return tree.name(self.copies[argument.name])
        if argument.kind == "row" and argument.name in self.copies:
            return tree.subscript(tree.attribute(self.copies[argument.name], "shape"), tree.integer(-1))
        if argument.kind in ("slices", "across"):
            return tree.attribute(self.shares, argument.kind)
        if argument.kind in ("own", "width", "size") and self.atomic is not None:
            of = {"own": "own", "width": "widths", "size": "sizes"}[argument.kind]
            place = next(k for k, each in enumerate(self.atomic.counted) if each.array == argument.name)
            return tree.subscript(tree.attribute(self.shares, of), tree.integer(place))
        return super().passed(argument)
