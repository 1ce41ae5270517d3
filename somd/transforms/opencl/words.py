"""Rows of local memory, read and stored a word at a time: 16 bytes, some elements each.

const float4 word = ((__local const float4 *)x_row)[piece];      x_now[0] = word.s0; ... x_now[3] = word.s3;
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_types import CTYPES

#: bytes of a word; rows begin at one
WORD = 16


@dataclass(frozen=True)
class Words:
    """A row of this dtype that begins at `begin`, a pointer in C."""

    begin: str
    dtype: str
    space: str = "__local"

    @property
    def columns(self) -> int:
        """The elements of a word."""
        return WORD // np.dtype(self.dtype).itemsize

    @property
    def kind(self) -> str:
        return f"{CTYPES[self.dtype]}{self.columns}"

    def at(self, number: str) -> str:
        """The word of this number."""
        return f"(({self.space} {self.kind} *){self.begin})[{number}]"

    def load(self, write: Statements, register: str, first: str, columns: int) -> None:
        """So many elements into a register array, from the word of this number on."""
        word = write.scope.names.fresh("word")
        for part in range(columns // self.columns):
            write.line(f"const {self.kind} {word}_{part} = {self.at(_behind(first, part))};")
            for k in range(self.columns):
                write.line(f"{register}[{part * self.columns + k}] = {word}_{part}.s{k};")

    def store(self, write: Statements, register: str, first: str, columns: int) -> None:
        """The same from registers into the row."""
        for part in range(columns // self.columns):
            values = ", ".join(f"{register}[{part * self.columns + k}]" for k in range(self.columns))
            write.line(f"{self.at(_behind(first, part))} = ({self.kind})({values});")


def _behind(first: str, part: int) -> str:
    return f"{first} + {part}" if first and part else first or str(part)
