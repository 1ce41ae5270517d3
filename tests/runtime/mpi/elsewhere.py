"""A program whose threads read what the main threads of two ranks have distributed."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from somd import SomdRuntimeError, dist, gather, somd
from tests.runtime.mpi.threads import on_ranks


@somd
def copied(a: dist[np.ndarray]) -> np.ndarray:
    b = np.empty_like(a)
    for i in range(len(a)):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j]
    return b


def main(rank: int) -> list[str]:
    made, said = copied(np.ones((100, 100))), []

    def read(how: Any) -> None:
        try:
            said.append(str(how(made).sum()))
        except SomdRuntimeError as error:
            said.append(error.message)

    def beside(how: Any) -> None:
        thread = threading.Thread(target=read, args=(how,))
        thread.start()
        thread.join()

    beside(np.asarray)
    beside(copied)
    kept = gather(made)
    beside(copied)
    assert kept.base is not None
    return said


if __name__ == "__main__":
    first, second = on_ranks(2, main)
    assert first == second, (first, second)
    print("\n".join(first))
