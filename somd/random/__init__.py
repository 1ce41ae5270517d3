"""Random numbers that are a function of a seed and of what they are for, not of the order in which they are drawn."""

from somd.random.stream import Stream

__all__ = ["Stream"]
