"""What must hold of the two regions of a scan: that `totals` makes of the scalars what the region does, from any value.

scan of s by +                        the totals store nothing
    region 1: s = s + a[i]            they run the same iterations
    region 2: s = s + a[i]            what sets s in the region stands in the totals, in the same order
              out[i] = s
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from somd.language.scanning import SCANS
from somd.transforms.loops.program import Assign, If, Raise, Scan, Statement, Store, Unpack
from somd.transforms.loops.scopes import set_by
from somd.transforms.loops.walking import bodies, statements_in


def problems_of(scan: Scan) -> Iterator[str]:
    """What does not hold."""
    totals, region = scan.totals, scan.region
    where = f"the totals of region {region.number}"
    scanned = tuple(each.variable for each in scan.carries if each.by is not None)
    if any(each.by is not None and each.by not in SCANS for each in scan.carries):
        yield f"there is no operator to scan region {region.number} by"
    if tuple(each.variable.name for each in scan.carries) != tuple(each.name for each in region.handed_on):
        yield f"region {region.number} hands on other scalars than its scan carries"
    if not scanned or scanned != totals.handed_on:
        yield f"{where} hand on other scalars than are scanned"
    headers = [[(loop.variable, loop.start, loop.stop, loop.step) for loop in each.loops] for each in (totals, region)]
    if headers[0] != headers[1] or totals.ordered_if != region.ordered_if:
        yield f"{where} run other iterations"
    if totals.checks or totals.written or totals.local_arrays:
        yield f"{where} do more than to set scalars"
    if any(isinstance(node, Store | Raise) for node in statements_in(totals.body)):
        yield f"{where} store elements, or raise"
    names = {variable.name for variable in scanned}
    if list(_setting(totals.body, names)) != list(_setting(region.body, names)):
        yield f"{where} set scalars otherwise"


def _setting(body: Sequence[Statement], names: set[str]) -> Iterator[tuple[str, ...]]:
    """What sets the scalars, in order; of two versions of one body, once."""
    for node in body:
        if isinstance(node, Assign | Unpack) and set_by(node) & names:
            yield tuple(sorted(set_by(node)))
        inner = [list(_setting(each, names)) for each in bodies(node)]
        versions = isinstance(node, If) and len(inner) == 2 and inner[0] == inner[1]
        for found in inner[:1] if versions else inner:
            yield from found
