"""C expressions that know their type and how tightly they bind, so that parentheses stand only where C needs them."""

from __future__ import annotations

from dataclasses import dataclass

PRIMARY, UNARY, CONDITIONAL = 16, 14, 3
LEVELS = {
    "*": 13,
    "/": 13,
    "%": 13,
    "+": 12,
    "-": 12,
    "<<": 11,
    ">>": 11,
    "<": 10,
    "<=": 10,
    ">": 10,
    ">=": 10,
    "==": 9,
    "!=": 9,
    "&": 8,
    "^": 7,
    "|": 6,
    "&&": 5,
    "||": 4,
}
#: what a program must have whose text mentions double precision, and NumPy's types of it
DOUBLES, OF_DOUBLES = "double", ("float64", "complex128")
COMPARING = (LEVELS["<"], LEVELS["=="])


@dataclass(frozen=True)
class C:
    """An expression of NumPy type `dtype`; `value` is set where it is a literal, `short` its text without a suffix;
    `unsigned` where it was computed as an unsigned number and brought back.

    `reach`: no greater is the absolute value of an integer; 0 where that is not known. `needs` is what the operands
    mention.
    """

    text: str
    dtype: str
    level: int = PRIMARY
    value: int | float | bool | complex | None = None
    short: str = ""
    unsigned: C | None = None
    reach: int = 0
    needs: frozenset[str] = frozenset()

    @property
    def mentions(self) -> frozenset[str]:
        """What the program must have for the text: `DOUBLES`, or macros."""
        return self.needs | {DOUBLES} if self.dtype in OF_DOUBLES else self.needs

    @property
    def loose(self) -> str:
        """The text where C converts the literal by itself: in a call, an assignment, an index."""
        return self.short or self.text


def infix(symbol: str, left: C, right: C, dtype: str) -> C:
    """`left symbol right`; a literal beside something else needs no suffix. A comparison in a comparison has
    parentheses, without which some compilers refuse it."""
    level = LEVELS[symbol]
    compares = level in COMPARING
    both = left.value is not None and right.value is not None
    texts = []
    for side, lowest in ((left, level), (right, level + 1)):
        text = side.text if both else side.loose
        texts.append(text if side.level >= lowest and not (compares and side.level in COMPARING) else f"({text})")
    return C(f"{texts[0]} {symbol} {texts[1]}", dtype, level, needs=mentioned(left, right))


def prefix(symbol: str, operand: C, dtype: str) -> C:
    """A unary operator or, with a symbol like `(long)`, a cast."""
    text = operand.text
    bare = operand.level > UNARY or (operand.level == UNARY and symbol.startswith("(") and text[0] == "(")
    return C(f"{symbol}{text}" if bare else f"{symbol}({text})", dtype, UNARY, needs=operand.mentions)


def call(function: str, dtype: str, *arguments: C) -> C:
    return C(f"{function}({', '.join(a.loose for a in arguments)})", dtype, needs=mentioned(*arguments))


def conditional(test: C, yes: C, no: C, dtype: str) -> C:
    parts = [p.text if p.level > CONDITIONAL else f"({p.text})" for p in (test, yes, no)]
    return C(f"{parts[0]} ? {parts[1]} : {parts[2]}", dtype, CONDITIONAL, needs=mentioned(test, yes, no))


def mentioned(*parts: C) -> frozenset[str]:
    """What expressions mention together."""
    return frozenset().union(*(part.mentions for part in parts))
