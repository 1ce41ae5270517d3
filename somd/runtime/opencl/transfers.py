"""Counts what moves between host and device, for tests, profiles and `explain`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Transfers:
    """Numbers of copies, and their bytes. Empty arrays need none and are not counted.

    `exchanges` are copies from one device to another.
    """

    uploads: int = 0
    downloads: int = 0
    uploaded_bytes: int = 0
    downloaded_bytes: int = 0
    exchanges: int = 0
    exchanged_bytes: int = 0


_lock = threading.Lock()
_counting: list[Transfers] = []


@contextmanager
def count_transfers() -> Iterator[Transfers]:
    """Counts the transfers of the block, of all threads: `with count_transfers() as seen: ...; seen.uploads`."""
    seen = Transfers()
    with _lock:
        _counting.append(seen)
    try:
        yield seen
    finally:
        with _lock:
            # By identity: two counters with the same numbers are equal.
            _counting[:] = [other for other in _counting if other is not seen]


def note_upload(nbytes: int) -> None:
    """One copy from host to device."""
    if _counting:
        with _lock:
            for seen in _counting:
                seen.uploads += 1
                seen.uploaded_bytes += nbytes


def note_download(nbytes: int) -> None:
    """One copy from device to host."""
    if _counting:
        with _lock:
            for seen in _counting:
                seen.downloads += 1
                seen.downloaded_bytes += nbytes


def note_exchange(nbytes: int) -> None:
    """One copy from device to device."""
    if _counting:
        with _lock:
            for seen in _counting:
                seen.exchanges += 1
                seen.exchanged_bytes += nbytes
