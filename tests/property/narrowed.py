"""Campaigns of a few topics: programs of some steps alone, other numbers of workers, scans whose strips are short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

#: trips in a strip of a chain, in the first, in a block that is run from a guess, in one of the parts of that, in a
#: lane of a scan of floats; lanes in a block, and lanes that vectors hold side by side
SHORT_STRIP, SHORT_FIRST, SHORT_BLOCK, SHORT_PART, SHORT_LANE, SHORT_LANES, SHORT_ROWS = 8, 3, 4, 2, 2, 3, 2


@contextmanager
def narrowed(steps: Sequence[str], workers: Sequence[int], short: bool) -> Iterator[None]:
    """A block in which programs are made of these steps (of all topics, where there are none) and run on these numbers
    of workers; with `short` calls of a few iterations have several strips and blocks. Bits of scans that claim an
    association are then others than those of the package, and still the same for all workers."""
    from somd.transforms.emit import running_sums
    from somd.transforms.frontend import chains, claimed_scans, guessed_chains
    from tests.property import examining, mixed

    with ExitStack() as stack:
        stack.enter_context(patch.object(mixed, "ALONE", tuple(steps)))
        stack.enter_context(patch.object(examining, "WORKERS", tuple(workers)))
        if short:
            stack.enter_context(patch.object(chains, "STRIP", SHORT_STRIP))
            stack.enter_context(patch.object(chains, "FIRST", SHORT_FIRST))
            stack.enter_context(patch.object(guessed_chains, "BLOCK", SHORT_BLOCK))
            stack.enter_context(patch.object(guessed_chains, "PART", SHORT_PART))
            stack.enter_context(patch.object(guessed_chains, "PARTS", SHORT_BLOCK // SHORT_PART))
            stack.enter_context(patch.object(claimed_scans, "LANE", SHORT_LANE))
            stack.enter_context(patch.object(claimed_scans, "BLOCK", SHORT_LANES))
            stack.enter_context(patch.object(running_sums, "TRIPS", SHORT_LANE))
            stack.enter_context(patch.object(running_sums, "ROWS", SHORT_ROWS))
        yield
