"""Compiling ahead of the first call: text, machine code or device program of a method's declared signatures.

In: a method, a target and argument types. Out: what the first call would have left in the cache; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.calls.convention import calling_of
from somd.calls.method import mark_checked
from somd.calls.specialisations import compile_entry, declared_arguments
from somd.capture.paths import parameters_of
from somd.capture.reach import Reach
from somd.sources.load import Method, function_of
from somd.sources.translation import described


@dataclass(frozen=True)
class Built:
    """A specialisation that a call will find; `assumed` tells that no signature was declared."""

    qualname: str
    target: str
    signature: tuple[str, ...]
    assumed: bool


def build(method: Method, found: Reach, target: str, signature: str | None, device: Any = None) -> Built:
    """Compile one specialisation into the caches.

    Raises:
        SomdCompileError: the method is refused.
        TargetUnavailable: the target lacks a device or a construct.
        SomdRuntimeError: the driver refuses the program.
    """
    function = function_of(method)
    arguments = declared_arguments(function, found, signature)
    texts = tuple(described(kind) for kind in arguments.values())
    calling = calling_of(found, found.structure(), parameters_of(function))
    entry = compile_entry(
        function, calling.found, calling.names, calling.key, target, texts, (), device, calling.partitioners
    )
    entry.call.compile(tuple(samples(texts)))
    if calling.key is not None:
        mark_checked(calling.key)
    return Built(function.__qualname__, target, texts, signature is None)


def samples(signature: tuple[str, ...], length: int = 1) -> Iterator[Any]:
    """A value of each type of a signature; arrays are contiguous, `length` long in each dimension, all zeros.

    >>> [type(value).__name__ for value in samples(("float64[:]", "int", "np.float32"))]
    ['ndarray', 'int', 'float32']
    """
    plain = {"int": 1, "float": 1.0, "bool": True, "complex": 1.0 + 0.0j}
    for text in signature:
        array = re.fullmatch(r"(\w+)\[([:, ]+)\]", text)
        if array is not None:
            yield np.zeros((length,) * array[2].count(":"), array[1])
        else:
            yield plain[text] if text in plain else np.dtype(text.removeprefix("np.")).type(1)
