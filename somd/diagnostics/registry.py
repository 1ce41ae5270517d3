"""Every diagnostic code with its title, and the page that explains it. Codes never change meaning."""

from __future__ import annotations

import difflib
from typing import NamedTuple


class Entry(NamedTuple):
    """A code's title and the file name of its page under `somd/diagnostics/pages`."""

    title: str
    page: str


_TITLES = {
    "SOMD101": "marker in a wrong place",
    "SOMD102": "marker with wrong arguments",
    "SOMD103": "marker not supported by this version",
    "SOMD104": "no source text for the function",
    "SOMD105": "nothing to distribute",
    "SOMD106": "method cannot reduce itself",
    "SOMD201": "statement not supported",
    "SOMD202": "expression not supported",
    "SOMD203": "call of an unknown function",
    "SOMD204": "name unknown, or its value not usable",
    "SOMD205": "loop form not supported",
    "SOMD206": "jump out of a distributed loop",
    "SOMD207": "attribute of an object assigned",
    "SOMD208": "object used as a value",
    "SOMD209": "name without a value",
    "SOMD210": "nested too deeply",
    "SOMD301": "loop carries a dependence",
    "SOMD302": "two iterations write the same element",
    "SOMD303": "access not understood",
    "SOMD304": "scalar carried from iteration to iteration",
    "SOMD305": "scalar of a distributed loop used after it",
    "SOMD306": "condition around distributed loops is not uniform",
    "SOMD307": "returned value does not match the declared reduction",
    "SOMD308": "partial value read before its reduction",
    "SOMD309": "arguments overlap in memory",
    "SOMD310": "declared view too narrow",
    "SOMD311": "analysis gave up",
    "SOMD312": "array of a distributed loop is not private to an iteration",
    "SOMD313": "partial results do not reach their reduction",
    "SOMD314": "loop cannot be relaxed",
    "SOMD401": "variable with different types",
    "SOMD402": "operand types not supported",
    "SOMD403": "wrong number of dimensions in a subscript",
    "SOMD404": "argument type not supported",
    "SOMD405": "integer power may be fractional",
    "SOMD406": "value of an attribute, or from outside, not supported",
    "SOMD501": "target lacks a construct",
    "SOMD502": "no OpenCL device found",
    "SOMD503": "device has no double precision",
    "SOMD504": "driver refused the generated program",
    "SOMD505": "Numba cannot be used",
    "SOMD601": "configuration file broken",
    "SOMD602": "unknown configuration key",
    "SOMD603": "unknown target",
    "SOMD604": "wrong configuration value",
    "SOMD605": "index out of bounds",
    "SOMD606": "number of workers out of range",
    "SOMD607": "reduction gives another type than the method",
    "SOMD608": "cache not used",
    "SOMD609": "scalar too far from 0",
    "SOMD610": "axis of length 1 that would be stretched",
    "SOMD611": "ranks make different calls",
    "SOMD612": "a rank has left the program",
    "SOMD613": "rows are on other ranks",
    "SOMD614": "library call gives another type",
    "SOMD901": "internal compiler error",
    "SOMD902": "library failed on generated code",
}

REGISTRY: dict[str, Entry] = {code: Entry(title, f"{code}.md") for code, title in _TITLES.items()}


def entry(code: str) -> Entry:
    """The entry of `code`.

    Raises:
        KeyError: no such code; the text names the nearest known ones.
    """
    found = REGISTRY.get(code)
    if found is None:
        near = difflib.get_close_matches(code.upper(), REGISTRY, n=3) or list(REGISTRY)[:3]
        raise KeyError(f"unknown diagnostic code {code!r}; nearest: {', '.join(near)}")
    return found


def page(code: str) -> str:
    """The page of `code`, in Markdown.

    Raises:
        KeyError: no such code.
    """
    from importlib.resources import files

    name = entry(code).page
    return files("somd.diagnostics").joinpath("pages", name).read_text(encoding="utf-8")
