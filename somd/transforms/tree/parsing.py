"""The tree of a text, with the position of each node.

libcst refuses words that stand beside brackets in some ways, as in `return(x if c else y)`. Such a text gets spaces
around its words; positions are those of the text as it was.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import cast

import libcst as cst
from libcst.metadata import CodePosition, CodeRange, MetadataWrapper, PositionProvider

#: for each line the columns where spaces were put in
Spaces = Mapping[int, list[int]]


def parsed(source: str) -> tuple[cst.Module, Mapping[cst.CSTNode, CodeRange]]:
    """The tree of a module's text, and where its nodes stand.

    >>> module, ranges = parsed("x = 1 if a else(b if c else d)")
    >>> ranges[module.body[0].body[0].value.orelse.test].start.column
    21
    """
    try:
        module = cst.parse_module(source)
        spaces: Spaces = {}
    except cst.CSTValidationError:
        text, spaces = _with_spaces(source)
        module = cst.parse_module(text)
    # a parsed tree has each node once; `resolve` would walk through it once more, for nobody
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    ranges = cast(Mapping[cst.CSTNode, CodeRange], PositionProvider()._gen(wrapper))
    if spaces:
        ranges = {node: CodeRange(_before(r.start, spaces), _before(r.end, spaces)) for node, r in ranges.items()}
    return module, ranges


def _with_spaces(source: str) -> tuple[str, Spaces]:
    """The text with a space on each side of its words that have none there, and where these were put in."""
    spaces: dict[int, list[int]] = {}
    for line, column in _beside_words(source):
        spaces.setdefault(line, []).append(column)
    lines = source.split("\n")
    for line, columns in spaces.items():
        text = lines[line - 1]
        ends = [0, *columns, len(text)]
        lines[line - 1] = " ".join(text[start:end] for start, end in pairwise(ends))
    return "\n".join(lines), spaces


def _beside_words(source: str) -> Iterator[tuple[int, int]]:
    """The lines and columns where a word of Python's and something else meet."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    for left, right in pairwise(token for token in tokens if token.string.strip()):
        if left.end == right.start and (_is_word(left) or _is_word(right)):
            yield right.start


def _is_word(token: tokenize.TokenInfo) -> bool:
    return token.type == tokenize.NAME and keyword.iskeyword(token.string)


def _before(place: CodePosition, spaces: Spaces) -> CodePosition:
    """A position in the text with spaces, in the text as it was."""
    more = sum(column + k < place.column for k, column in enumerate(spaces.get(place.line, ())))
    return CodePosition(place.line, place.column - more)
