"""Python text with long lines broken, as formatters break them.

Brackets open at the end of a line, their content stands indented, commas one a line; a condition gets brackets of its
own and breaks at its operators. Texts get double quotes. In: generated text. Out: the same program, no line longer than
`WIDTH` where it can be broken. Lines of a text that runs over several, or that end in a comment, are left alone.
"""

from __future__ import annotations

import io
import re
import textwrap
import tokenize
from collections.abc import Iterator, Sequence

WIDTH = 100
_OPEN, _CLOSE = "([{", ")]}"
#: operators at which a line breaks, the loosest first
_LOOSE = (("if", "else"), ("or",), ("and",), ("<", ">", "<=", ">=", "==", "!="), ("+", "-"), ("*", "/", "//", "%"))
_HEADS = re.compile(r"^(if|elif|while|return|raise|assert) ")


def laid_out(text: str) -> str:
    """`text` with long lines broken.

    >>> print(laid_out("x = f(" + ", ".join(["argument"] * 12) + ")\\n"), end="")
    x = f(
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
        argument,
    )
    """
    kept = _inside_texts(text)
    lines: list[str] = []
    opening = _docstring(text)
    for number, line in enumerate(text.splitlines(), 1):
        if number <= opening:
            lines += textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
            continue
        lines += [line] if number in kept else _broken(_quoted(line))
    return "\n".join(_spaced(lines)) + "\n"


def _docstring(text: str) -> int:
    """The last line of the docstring that opens the text, 0 if none does."""
    first = next(tokenize.generate_tokens(io.StringIO(text).readline), None)
    return first.end[0] if first is not None and first.type == tokenize.STRING else 0


def _inside_texts(text: str) -> set[int]:
    """The lines that a string over several lines covers."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    strings = [t for t in tokens if t.type == tokenize.STRING and t.end[0] > t.start[0]]
    return {n for token in strings for n in range(token.start[0], token.end[0] + 1)}


def _quoted(line: str) -> str:
    """A line with double quotes around its texts, where that needs no backslash."""
    if "'" not in line:
        return line
    offset = len(line) - len(line.lstrip())
    for token in reversed(_tokens(line) or []):
        text = token.string
        if token.type == tokenize.STRING and text.startswith("'") and not set(text) & {'"', "\\"}:
            start, end = token.start[1] + offset, token.end[1] + offset
            line = f'{line[:start]}"{text[1:-1]}"{line[end:]}'
    return line


def _spaced(lines: Sequence[str]) -> Iterator[str]:
    """Without blank lines at the end; two before and after definitions are the generators' matter."""
    last = max((k for k, line in enumerate(lines) if line.strip()), default=-1)
    for k, line in enumerate(lines[: last + 1]):
        yield line.rstrip()
        if k == 0 and line.startswith('"""') and line.endswith('"""') and len(line) > 3 and lines[1].strip():
            yield ""


def _broken(line: str) -> list[str]:
    """A logical line on several lines."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    pieces = _tokens(line)
    if pieces is None:
        return [line]
    head = _HEADS.match(line.strip())
    if head is not None and not _one_bracket(line.strip()[head.end() :].rstrip(":")):
        tail = ":" if line.rstrip().endswith(":") else ""
        body = line.strip()[head.end() :].removesuffix(":")
        return [f"{indent}{head[0]}(", *_operands(f"{indent}    ", body), f"{indent}){tail}"]
    place = _assignment(line)
    if place and not _one_bracket(line[place:].strip()) and len(_split(line[place:], _ALL, keep=True)) > 1:
        return [f"{line[:place].rstrip()} (", *_operands(f"{indent}    ", line[place:]), f"{indent})"]
    bracket = _last_bracket(line)
    if bracket is None:
        return [line]
    start, end = bracket
    opened, inside, tail = line[: start + 1], line[start + 1 : end], line[end:]
    whole = f"{indent}    {inside}"
    parts = _split(inside, (",",))
    if len(whole) <= WIDTH and (len(parts) == 1 or not inside.rstrip().endswith(",")):
        return [opened.rstrip(), whole, indent + tail]
    if len(parts) > 1 or inside.rstrip().endswith(","):
        entries = [f"{indent}    {part.strip()}," for part in parts if part.strip()]
        return [opened.rstrip(), *(row for entry in entries for row in _broken(entry)), indent + tail]
    return [opened.rstrip(), *_operands(f"{indent}    ", inside), indent + tail]


def _assignment(line: str) -> int:
    """Where the value of an assignment begins; 0 for another statement."""
    depth, offset = 0, len(line) - len(line.lstrip())
    for token in _tokens(line) or ():
        depth += (token.string in _OPEN and bool(token.string)) - (token.string in _CLOSE and bool(token.string))
        if depth == 0 and token.type == tokenize.OP and re.fullmatch(r"[^=!<>:]{0,2}=", token.string):
            return token.end[1] + offset
    return 0


def _operands(indent: str, text: str) -> list[str]:
    """An expression, broken before its loosest operators."""
    line = indent + text.strip()
    if len(line) <= WIDTH:
        return [line]
    for operators in _LOOSE:
        parts = _split(text, operators, keep=True)
        if len(parts) > 1:
            return [row for part in parts for row in _operands(indent, part)]
    return _broken(line)


def _tokens(line: str) -> list[tokenize.TokenInfo] | None:
    """The tokens of a line, or None where it ends in a comment or cannot stand alone."""
    text = line.strip()
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    return None if any(token.type == tokenize.COMMENT for token in found) else found


def _split(text: str, operators: Sequence[str], keep: bool = False) -> list[str]:
    """`text` cut at operators outside brackets, which open the parts that follow if they are to be kept."""
    stripped = text.strip()
    cuts, depth, before = [0], 0, ""
    for token in _tokens(stripped) or ():
        if token.type == tokenize.ENDMARKER or token.start[0] > 1:
            continue
        depth += (token.string in _OPEN and bool(token.string)) - (token.string in _CLOSE and bool(token.string))
        binary = bool(before) and (before in _CLOSE or before not in _SIGNS_FOLLOW)
        if depth == 0 and token.string in operators and (token.string == "," or binary):
            cuts.append(token.start[1] if keep else token.end[1])
        before = token.string
    ends = [*cuts[1:], len(stripped)]
    parts = [stripped[start:end] for start, end in zip(cuts, ends, strict=True)]
    return [part.removesuffix(",").strip() if not keep else part.strip() for part in parts if part.strip()]


#: after these a sign belongs to what follows
_SIGNS_FOLLOW = frozenset(
    ("+", "-", "*", "/", "//", "%", "<", ">", "<=", ">=", "==", "!=", "=", "(", "[", "{", ",", ":", "and", "or", "not")
).union(("if", "else", "in", "return"))


def _one_bracket(text: str) -> bool:
    """Whether `text` is a call or a bracket, to its end."""
    bracket = _last_bracket(text)
    return bracket is not None and bracket[1] == len(text) - 1 and len(_split(text, _ALL, keep=True)) == 1


_ALL = tuple(operator for level in _LOOSE for operator in level)


def _last_bracket(line: str) -> tuple[int, int] | None:
    """Where the last outermost bracket opens and closes, if it holds something."""
    offset = len(line) - len(line.lstrip())
    depth, start, found = 0, 0, None
    for token in _tokens(line) or ():
        if token.string and token.string in _OPEN:
            if depth == 0:
                start = token.start[1]
            depth += 1
        elif token.string and token.string in _CLOSE:
            depth -= 1
            if depth == 0 and token.start[1] > start + 1:
                found = (start + offset, token.start[1] + offset)
    return found
