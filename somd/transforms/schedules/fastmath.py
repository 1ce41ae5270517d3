"""What comes before the passes of a target where a method has `fastmath`: passes that change bits.

They are done to the program as it was written, so that all that is made of it, for whatever number of workers, has the
same bits.
"""

from __future__ import annotations

from functools import partial

from somd.transforms.passes import Pass
from somd.transforms.passes.contraction import contraction
from somd.transforms.passes.reassociation import reassociation

#: the sums that go along side by side: the lanes of four vectors of doubles of 32 bytes, and of what is no vector
LANES = 16
CHAINS = 4

FASTMATH: tuple[Pass, ...] = (contraction, partial(reassociation, lanes=LANES, chains=CHAINS))
