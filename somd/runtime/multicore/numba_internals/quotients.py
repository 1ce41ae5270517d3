"""Quotients and remainders of integers that compiled code takes under a condition in a loop.

LLVM's vectorizer (of LLVM 20, not of 15) takes a division that is the same in all lanes for the first lane alone, even
where it stands under a condition that the first lane does not meet: then the lanes beside it go on with what happened
to be in a register, and read and write anywhere. So these are calls of a small function, which LLVM may move in
front of the loop where their operands do not change, and takes lane by lane where they do.

In: Numba's representation of a function. Out: the same with such calls for `//` and `%` by what is no constant, where
they do not happen in each trip of the loops around them; and in functions without a loop, which may be called there.
Numbers that are no integers are left to Numba.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir as _llvm
from numba.core import analysis as _analysis
from numba.core import compiler_machinery as _compiler_machinery
from numba.core import ir as _ir
from numba.core import types as _types

from somd.runtime.multicore.numba_internals.stand_ins import Generate, stands_for

analysis: Any = _analysis
compiler_machinery: Any = _compiler_machinery
ir: Any = _ir
llvm: Any = _llvm
types: Any = _types


def _calls(operation: str) -> Generate:
    """A call of the one small function of a module for these types."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any, own: Callable[[], Any]) -> Any:
        implementation = own()  # it may need a library, in each module that calls
        if not all(isinstance(kind, types.Integer) for kind in (*signature.args, signature.return_type)):
            return implementation(builder, arguments)
        name = f"somd.{operation}.{'.'.join(map(str, signature.args))}"
        made = builder.module.globals.get(name)
        if made is None:
            made = _function(builder.module, name, context, signature, implementation)
        return builder.call(made, arguments)

    return generate


def _function(module: Any, name: str, context: Any, signature: Any, implementation: Any) -> Any:
    """Numba's code in a function that ends for all operands, and does nothing else: LLVM may call it at any time.

    LLVM also concludes from all calls what the operands may be, as that no divisor is 0 where each call has a test of
    it, leaves out the test inside, and then moves a call in front of the test around it. So what is divided there are
    copies, of which nothing is known.
    """
    kinds = [context.get_value_type(kind) for kind in signature.args]
    made = llvm.Function(module, llvm.FunctionType(context.get_value_type(signature.return_type), kinds), name)
    made.linkage = "internal"
    for attribute in ("noinline", "nounwind", "readnone"):
        made.attributes.add(attribute)
    for attribute in ("speculatable", "willreturn"):
        set.add(made.attributes, attribute)  # which llvmlite does not know
    inside = llvm.IRBuilder(made.append_basic_block())
    copies = [inside.asm(llvm.FunctionType(each.type, [each.type]), "", "=r,0", [each], False) for each in made.args]
    inside.ret(implementation(inside, copies))
    return made


@stands_for(operator.floordiv, _calls("quotient"))
def quotient(left: Any, right: Any) -> Any:
    """What `//` is taken for."""
    return left // right


@stands_for(operator.mod, _calls("remainder"))
def remainder(left: Any, right: Any) -> Any:
    """What `%` is taken for."""
    return left % right


_OURS: dict[Any, Callable[..., Any]] = {
    operator.floordiv: quotient,
    operator.ifloordiv: quotient,
    operator.mod: remainder,
    operator.imod: remainder,
}


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=False)
class Quotients(compiler_machinery.FunctionPass):  # type: ignore[misc]
    """See the head of this file."""

    _name = "somd_quotients"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        func_ir = state.func_ir
        divisions = [
            (label, block, statement)
            for label, block in func_ir.blocks.items()
            for statement in block.find_insts(ir.Assign)
            if isinstance(statement.value, ir.Expr)
            and statement.value.op in ("binop", "inplace_binop")
            and statement.value.fn in _OURS
            and not _constant(func_ir, statement.value.rhs)
        ]
        if not divisions:
            return False
        graph = analysis.compute_cfg_from_blocks(func_ir.blocks)
        found = False
        for label, block, statement in divisions:
            if _at_times(graph, label):
                _call(func_ir, block, statement)
                found = True
        return found


def _constant(func_ir: Any, divisor: Any) -> bool:
    """Whether a divisor is a number other than 0 and -1 in the text."""
    definitions = func_ir._definitions.get(divisor.name, [])
    if len(definitions) != 1 or not isinstance(definitions[0], ir.Const | ir.Global | ir.FreeVar):
        return False
    value = definitions[0].value
    return isinstance(value, int) and value not in (0, -1)


def _at_times(graph: Any, label: int) -> bool:
    """Whether a block may be left out in a trip of a loop around it, or is in none."""
    loops = graph.in_loops(label)  # the innermost first
    if not loops:
        return True
    dominators = graph.dominators()
    for loop in loops:
        ends = [last for last, _ in graph.predecessors(loop.header) if last in loop.body]
        if any(label not in dominators[last] for last in ends):
            return True
        label = loop.header
    return False


def _call(func_ir: Any, block: Any, statement: Any) -> None:
    """Let a division be a call of ours."""
    expression, place = statement.value, block.body.index(statement)
    ours = _OURS[expression.fn]
    name = block.scope.redefine(f"${ours.__name__}", expression.loc)
    known = ir.Global(ours.__name__, ours, expression.loc)
    block.body.insert(place, ir.Assign(known, name, expression.loc))
    func_ir._definitions[name.name] = [known]
    call = ir.Expr.call(name, [expression.lhs, expression.rhs], (), expression.loc)
    definitions = func_ir._definitions[statement.target.name]
    func_ir._definitions[statement.target.name] = [call if each is expression else each for each in definitions]
    statement.value = call
