"""What the network and the memory of a cluster are taken to be, where what ranks will take is reckoned without them."""

from __future__ import annotations

from typing import NamedTuple

from somd.errors import SomdConfigError


class Cluster(NamedTuple):
    """Seconds, and bytes a second. The defaults are those of a common interconnect, and of one socket's memory."""

    #: from when a message leaves until it arrives
    latency: float = 2e-6
    #: that a rank itself spends on sending or receiving one
    overhead: float = 1e-6
    #: what a rank sends or receives
    network: float = 10e9
    #: what the phases of a rank read and write
    memory: float = 20e9

    def message(self, count: int, size: int) -> float:
        """The seconds for so many messages of so many bytes together, all on their way at once."""
        return self.latency + 2 * self.overhead * count + size / self.network if count else 0.0


DEFAULTS = Cluster()


def check_positive(value: object, what: str, file: str | None = None, line: int | None = None) -> float:
    """`value` if it is a positive number.

    Raises:
        SomdConfigError: SOMD604 otherwise.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise SomdConfigError(f"{what} must be a number greater than 0", file, line, "SOMD604")
    return float(value)
