"""How a call begins that all ranks make.

In: a method's name and its arguments. Out: a session that knows of each array who holds which rows of it, and what the
ranks have told each other. How a rank computes is its target's matter.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from somd.errors import SomdRuntimeError
from somd.runtime.mpi import launched
from somd.runtime.mpi.agreement import Words, begun
from somd.runtime.mpi.distributed import elsewhere
from somd.runtime.mpi.returned import Given, apart, arrays_of
from somd.runtime.mpi.session import Session, address_of
from somd.runtime.mpi.world import World

#: by "1" users ask that the contents of arrays are compared, too
CHECKED = "SOMD_CHECK_RANKS"


class Begun(NamedTuple):
    """A call that all ranks have begun: its arguments, those that are distributed, and a row of words of each rank."""

    session: Session
    args: tuple[Any, ...]
    given: Given
    together: Words


def ranks_for(args: tuple[Any, ...]) -> World | None:
    """The ranks that share a call with such arguments; None where this process, or thread, computes alone.

    Raises:
        SomdRuntimeError: it does, and an argument has rows on others (SOMD613).
    """
    world = launched.world()
    if world is None:
        for known in Given(args).by_address.values():
            if not known.shared.current():
                raise elsewhere(known)
    return world


def begin(
    world: World, name: str, where: str, args: tuple[Any, ...], words: Sequence[int], written: Sequence[int]
) -> Begun:
    """Begin a call on all ranks; `where` tells the target, if it is not the usual one, `written` the arguments that the
    method writes.

    Raises:
        SomdRuntimeError: other ranks make another call (SOMD611), or one has left (SOMD612); or what is written is
            memory that ranks have in common (SOMD309).
    """
    if any(_in_common(args[k]) for k in written):
        message = (
            f"`{name}` writes an array that is a file, mapped for writing by all ranks, each of which would write what "
            "others still read: take `somd.load` and `somd.save`"
        )
        raise SomdRuntimeError(message, "SOMD309")
    args = apart(args)
    given = Given(args)
    session, together = begun(world, name, f"{_described(name, args, given)}{where}", (int(given.watched), *words))
    if together[:, 0].any():
        given.agree(session)
    for array in arrays_of(args):
        if given.has(array):
            session.given(given.by_address[address_of(array)].shared)
        else:
            session.made(array)
    return Begun(session, args, given, together[:, 1:])


def _in_common(array: Any) -> bool:
    """Whether ranks of a machine have an array in common: a file, mapped so that what is written gets there."""
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap) and array.mode in ("r+", "w+")


def _described(name: str, args: Sequence[Any], given: Given) -> str:
    """A call with its numbers and the shapes of its arrays, or their contents if that is asked for."""
    content = os.environ.get(CHECKED) == "1"
    texts = []
    for each in args:
        if not isinstance(each, np.ndarray):
            texts.append(repr(each))
            continue
        stays = given.has(each)
        more = " distributed" if stays else f" #{zlib.crc32(each.tobytes()):x}" if content else ""
        texts.append(f"{each.dtype}{list(each.shape)}{more}")
    return f"`{name}({', '.join(texts)})`"
