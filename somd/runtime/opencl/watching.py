"""Tells what is launched, for benchmarks and tests: names of kernels and pyopencl's events, in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Launched = list[tuple[str, Any]]
_lock = threading.Lock()
#: who watches; empty at almost all times, which is all that a launch asks
watchers: list[Launched] = []


@contextmanager
def watch_launches() -> Iterator[Launched]:
    """Collects the launches of the block, of all threads: `with watch_launches() as seen: ...; seen[0]`."""
    seen: Launched = []
    with _lock:
        watchers.append(seen)
    try:
        yield seen
    finally:
        with _lock:
            watchers[:] = [other for other in watchers if other is not seen]


def note_launch(name: str, event: Any) -> None:
    """One launch of the kernel `name`."""
    with _lock:
        for seen in watchers:
            seen.append((name, event))
