"""Python that a method may not use, as a table from libcst node to what the user is told.

In: a `Method`. Out: diagnostics SOMD201, SOMD202 and SOMD205 in a collector. It judges form only, not meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.arguments.instead import instead_of
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.language.array_functions import array_function
from somd.language.library import library_name
from somd.language.operators import symbols, ways_out
from somd.language.scanning import CLAIMED, no_such_scan
from somd.language.written_out import instead_of_function
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.stages import Method
from somd.transforms.tree.loops import OWN, fence_of, range_of
from somd.transforms.tree.misspelt import meant
from somd.transforms.tree.names import called, evaluate
from somd.transforms.tree.walking import Reader, nodes_of

STATEMENTS: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.Try: ("`try`", "handle errors in the caller; what a method raises arrives there"),
    cst.TryStar: ("`try`", "handle errors in the caller; what a method raises arrives there"),
    cst.ClassDef: ("a class definition", "define the class outside the method"),
    cst.FunctionDef: (
        "a nested function in a loop or a branch, with a decorator, or with `*` parameters",
        "define it on the level of the method's body, or outside of the method",
    ),
    cst.Match: ("`match`", "write `if` and `elif`"),
    cst.Del: ("`del`", "leave the name alone: it goes when the method returns"),
    cst.Global: ("`global`", "pass the value in and return the new one"),
    cst.Nonlocal: ("`nonlocal`", "pass the value in and return the new one"),
    cst.Import: ("`import` inside a method", "import at the top of the file"),
    cst.ImportFrom: ("`import` inside a method", "import at the top of the file"),
    cst.TypeAlias: ("a type alias", "define it outside the method"),
}

EXPRESSIONS: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.ListComp: ("a list comprehension", "allocate an array and fill it in a loop"),
    cst.SetComp: ("a set comprehension", "use arrays and scalars"),
    cst.DictComp: ("a dict comprehension", "use arrays and scalars"),
    cst.GeneratorExp: ("a generator expression", "write the loop out"),
    cst.FormattedString: ("an f-string", "format text in the caller"),
    cst.ConcatenatedString: ("a string", "use numbers and arrays"),
    cst.Lambda: ("`lambda` in an expression, a loop or a branch", "define a function at the head of the method"),
    cst.Yield: ("`yield`", "fill an array and return it"),
    cst.Await: ("`await`", "a SOMD method is synchronous"),
    cst.NamedExpr: ("`:=`", "assign in a statement of its own"),
    cst.Dict: ("a dict", "use arrays and scalars"),
    cst.Set: ("a set", "use arrays and scalars"),
    cst.List: (
        "a list",
        "fill an array; where it is not known how long, make it as long as it may get, and count: `out[k] = x; k += 1`",
    ),
    cst.StarredElement: ("`*` unpacking", "name the values one by one"),
    cst.MatrixMultiplyAssign: ("`@=`", "write `a = a @ b`"),
    cst.Is: ("`is`", "compare with `==`"),
    cst.IsNot: ("`is not`", "compare with `!=`"),
    cst.In: ("`in`", "write a loop that compares"),
    cst.NotIn: ("`not in`", "write a loop that compares"),
}

#: functions whose arrays are often gone through at once
GIVING_ARRAYS = (
    "ravel",
    "flatten",
    "copy",
    "astype",
    "reshape",
    "transpose",
    "arange",
    "linspace",
    "cumsum",
    "flatnonzero",
)

_FIELD = 'pass each field as an array of its own: `p["x"]` in the call, and `x[i]` here'
_NO_NONE = (
    "names may be None, and elements never are: mark what is missing by a number, such as nan, and ask `np.isnan(x)`"
)


def check_supported(method: Method, collector: Collector) -> None:
    """Report every statement and expression of `method` that is outside the language."""
    checker = _Checker(method, collector)
    params = method.function.params
    for param in (params.star_arg, params.star_kwarg):
        if isinstance(param, cst.Param):
            checker.report_parameter(param)
    method.function.body.visit(checker)


class _Checker(Reader):
    def __init__(self, method: Method, collector: Collector) -> None:
        super().__init__()
        self.method = method
        self.collector = collector

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.ComparisonTarget) and isinstance(node.operator, cst.Is | cst.IsNot):
            none = isinstance(node.comparator, cst.Name) and node.comparator.value == "None"
            if none:
                what = "whether this is None is not known before the method runs"
                self._report("SOMD202", what, node, _NO_NONE)
                return False
        if isinstance(node, cst.Call) and (summed := _summed(node)) is not None:
            what = f"{EXPRESSIONS[cst.GeneratorExp][0]} is not supported in a SOMD method"
            self._report("SOMD202", what, summed, _sum_written_out(summed))
            return False
        for table, code in ((STATEMENTS, "SOMD201"), (EXPRESSIONS, "SOMD202")):
            if type(node) in table:
                what, instead = table[type(node)]
                self._report(code, f"{what} is not supported in a SOMD method", node, instead)
                return False
        return super().on_visit(node)

    def report_parameter(self, param: cst.Param) -> None:
        what = "a parameter that takes any number of arguments is not supported in a SOMD method"
        self._report("SOMD201", what, param.name, "name the parameters one by one")

    def _report(self, code: str, message: str, node: cst.CSTNode, *helps: str) -> None:
        place = self.method.positions.get(node)
        if place is None:
            place = self.method.position(self.method.function.name)
        self.collector.add(Diagnostic(code, message, (Label(place, "here", True),), helps))

    def visit_Expr(self, node: cst.Expr) -> bool:
        if isinstance(node.value, cst.SimpleString | cst.ConcatenatedString):
            return False
        if isinstance(node.value, cst.Call):
            return True
        return True

    def visit_Raise(self, node: cst.Raise) -> None:
        if node.exc is None:
            message = "`raise` without an exception is not supported in a SOMD method"
            self._report("SOMD201", message, node, "name the exception: `raise ValueError(...)`")

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        keys = [each.slice.value for each in node.slice if isinstance(each.slice, cst.Index)]
        if not any(isinstance(key, cst.SimpleString) for key in keys):
            return True
        holder = evaluate(node.value, self.method.namespace, self.method.local_names)
        if isinstance(holder, Mapping):
            what = "an entry of a dictionary is not supported in a SOMD method"
            self._report("SOMD202", what, node, instead_of(holder))
            return False
        self._report("SOMD202", "a field of records is not supported in a SOMD method", node, _FIELD)
        node.value.visit(self)
        return False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        self._report("SOMD202", "a string is not supported in a SOMD method", node, "use numbers and arrays")

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        if evaluate(node.func, {"print": print, **self.method.namespace}, self.method.local_names) is print:
            return False  # refused at a call, for `.sequential` may print; what it prints is no matter
        near = meant(node.func, self.method)
        if near and self._is_of_library(cst.ensure_type(node.func, cst.Attribute)):
            text = cst.Module([]).code_for_node(node.func)
            self._report("SOMD203", f"there is no `{text}`", node, f"did you mean `{near}`?")
            return False
        function = called(node, self.method.namespace, self.method.local_names)
        whole = array_function(function) is not None or library_name(function) is not None
        if not whole and instead_of_function(function):
            return False  # refused at a call, with what to write instead
        if not whole:
            return number_of_text(node, self.method) is None
        for argument in node.args:
            if isinstance(argument.value, cst.List):
                self._visit_entries(argument.value)
            elif argument.star or not isinstance(argument.value, cst.SimpleString):
                argument.visit(self)
        return False

    def _is_of_library(self, node: cst.Attribute) -> bool:
        """Whether a name is one of NumPy's or Python's mathematics, whose modules are all there from the start."""
        module = evaluate(node.value, self.method.namespace, self.method.local_names)
        return str(getattr(module, "__name__", "")).partition(".")[0] in ("numpy", "math", "cmath")

    def _visit_entries(self, node: cst.List) -> None:
        """What stands in a list among arguments, or in its rows."""
        for element in node.elements:
            if isinstance(element, cst.StarredElement):
                element.visit(self)
            elif isinstance(element.value, cst.List):
                self._visit_entries(element.value)
            else:
                element.value.visit(self)

    def visit_Arg(self, node: cst.Arg) -> bool:
        if node.star:
            self._report("SOMD202", "`*` arguments are not supported in a SOMD method", node, "name the arguments")
        node.value.visit(self)
        return False

    def visit_For(self, node: cst.For) -> bool:
        if node.asynchronous is not None:
            self._report("SOMD201", "`async for` is not supported in a SOMD method", node, "write a plain loop")
        elif range_of(node) is None:
            helps = "write `for i in range(start, stop, step):` and index the arrays with `i`"
            called = cst.Module([]).code_for_node(node.iter.func) if isinstance(node.iter, cst.Call) else ""
            flat = [each.value for each in nodes_of(node.iter, cst.Attribute) if each.attr.value == "flat"]
            if called.rpartition(".")[2] == "prange":
                helps = "write `range` for `prange`: which loops may run in parallel is found out"
            elif called.rpartition(".")[2] in GIVING_ARRAYS and isinstance(node.target, cst.Name):
                name = next(each for each in ("values", "values_", "values__") if each not in self.method.local_names)
                before, loop = (
                    f"{name} = {cst.Module([]).code_for_node(node.iter)}",
                    f"for {node.target.value} in {name}:",
                )
                helps = f"give the array a name before the loop: `{before}`, then `{loop}`"
            elif flat:
                text = cst.Module([]).code_for_node(flat[0])
                helps = f"give a copy a name before the loop, `values = {text}.ravel()`, and run over `values`"
            self._report("SOMD205", "a loop in a SOMD method runs over `range(...)`", node.iter, helps)
            node.body.visit(self)
            return False
        return True

    def visit_With(self, node: cst.With) -> bool:
        fence = fence_of(node, self.method)
        if fence is not None and fence.reduce not in (None, OWN, *symbols()):
            message = f"there is no reduction {fence.reduce!r}"
            self._report("SOMD102", message, node.items[0], *ways_out(str(fence.reduce), symbols()))
        if fence is not None and fence.scan not in (None, *CLAIMED):
            self._report("SOMD102", f"there is no scan {fence.scan!r}", node.items[0], no_such_scan())
        elif fence is not None and fence.scan is not None and (not fence.names or fence.reduce or fence.relaxed):
            message = "`scan` names scalars, and stands beside neither `reduce` nor `relaxed`"
            self._report("SOMD102", message, node.items[0], 'write `with sync(s, scan="+"):`')
        if fence is None:
            known = (
                "`with sync:`, `with sync(name, reduce=op):`, `with sync(name, scan=op):`, `with sync(relaxed=True):`"
            )
            helps = f"only {known} and `with single:` may stand in a SOMD method"
            self._report("SOMD201", "this `with` is not supported in a SOMD method", node.items[0], helps)
            return False
        node.body.visit(self)
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        if len(node.targets) > 1:
            self._report(
                "SOMD201",
                "a chained assignment to tuples is not supported",
                node,
                "assign to names and elements, or on a line of its own",
            )


def _summed(node: cst.Call) -> cst.GeneratorExp | None:
    """The generator expression that a call sums up, if it does."""
    alone = node.args[0].value if len(node.args) == 1 else None
    is_sum = isinstance(node.func, cst.Name) and node.func.value == "sum"
    return alone if is_sum and isinstance(alone, cst.GeneratorExp) else None


def _sum_written_out(node: cst.GeneratorExp) -> str:
    code, lines = cst.Module([]).code_for_node, []
    part: cst.CompFor | None = node.for_in
    while part is not None:
        lines.append(f"for {code(part.target)} in {code(part.iter)}:")
        lines += [f"if {code(each.test)}:" for each in part.ifs]
        part = part.inner_for_in
    lines.append(f"total += {code(node.elt)}")
    return f"write the loop out: `total = 0`, then {' '.join(f'`{line}`' for line in lines)}"
