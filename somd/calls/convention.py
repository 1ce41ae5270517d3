"""The parameters of generated code: the method's own, and those for what a call reaches besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from somd.cache.keys import source_key
from somd.capture.reach import Origin, Reach
from somd.language.markers import Partition, markers_of


@dataclass(frozen=True)
class Calling:
    """What all calls have in common that reach the same things: `structure` tells that.

    `names` are the parameters of the generated code, `texts` what messages call them. `kept` are the positions of those
    arguments that are passed on; objects are not.
    """

    found: Reach
    structure: tuple[object, ...]
    names: tuple[str, ...]
    texts: tuple[str, ...]
    kept: tuple[int, ...] | None
    taken: tuple[Origin, ...]
    key: str | None
    #: the partitioners that parameters carry, by position
    partitioners: dict[int, Any]

    def values(self, arguments: tuple[Any, ...], found: Reach) -> tuple[Any, ...]:
        """The values of the parameters in a call."""
        if self.kept is not None:
            arguments = tuple([arguments[k] for k in self.kept])
        return (*arguments, *[found.values[origin] for origin in self.taken])


def calling_of(found: Reach, structure: tuple[object, ...], parameters: tuple[str, ...]) -> Calling:
    """The `Calling` of what a call has been found to reach."""
    found.complete()
    objects = dict(found.top.objects)
    own = tuple(name for name in parameters if name not in objects)
    taken = found.needs(found.top)
    kept = tuple(k for k, name in enumerate(parameters) if name not in objects) if objects else None
    names = (*own, *(found.names[origin] for origin in taken))
    texts = (*own, *(found.texts[origin] for origin in taken))
    partitioners = _partitioners(found, own, taken)
    key = source_key(found.top.function, found)
    return Calling(found.without_values(), structure, names, texts, kept, taken, key, partitioners)


def _partitioners(found: Reach, own: tuple[str, ...], taken: tuple[Origin, ...]) -> dict[int, Any]:
    function = found.top.function
    hints = [found.lookups.annotation(function, name) for name in own]
    hints += [found.annotation(origin) for origin in taken]
    return {
        k: marker.partitioner
        for k, hint in enumerate(hints)
        for marker in markers_of(hint)[1]
        if isinstance(marker, Partition)
    }
