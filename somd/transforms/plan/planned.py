"""What planning gives: the plan, what is wrong with it, and how loops may be written anew."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from somd.diagnostics.model import Collector
from somd.transforms.frontend.chains import Chain
from somd.transforms.frontend.claimed_scans import ClaimedScan
from somd.transforms.frontend.distribution import Part
from somd.transforms.frontend.handed_elements import Handed
from somd.transforms.frontend.held_elements import Element
from somd.transforms.frontend.panels import Update
from somd.transforms.frontend.row_panels import RowPanels
from somd.transforms.frontend.searches import Search
from somd.transforms.frontend.sums_in_place import Sums
from somd.transforms.stages import Method, Plan


@dataclass
class Anew:
    """Loops that other methods have in another form, which may be distributed further."""

    #: in statements of the method in which nothing is distributed: elements that may be held in scalars
    elements: dict[cst.For, tuple[Element, ...]] = field(default_factory=dict)
    #: loops that could be distributed but for one iteration
    points: dict[cst.For, cst.BaseExpression] = field(default_factory=dict)
    #: loops that may be several ones, of which more may be distributed: the statements of each
    parts: dict[cst.For, tuple[Part, ...]] = field(default_factory=dict)
    #: loops that wait for elements which they read before they change them: these reads may go to copies
    old: dict[cst.For, tuple[cst.Subscript, ...]] = field(default_factory=dict)
    #: loops whose iterations update all that is behind them, which may wait for some of these
    updates: dict[cst.For, Update] = field(default_factory=dict)
    #: loops over rows that may go in panels of columns if their sums in scalars go to elements
    sums: dict[cst.For, Sums] = field(default_factory=dict)
    #: loops over rows that sum over the columns before, which may go in panels of columns
    rows: dict[cst.For, RowPanels] = field(default_factory=dict)
    #: loops that look for something, up to the first iteration that finds it: they may be searched before they run
    searches: dict[cst.For, Search] = field(default_factory=dict)
    #: loops that wait for one scalar alone, which they hand on by a short chain
    chains: dict[cst.For, Chain] = field(default_factory=dict)
    #: loops that make elements of those that the last iteration stored, which may be handed on in scalars
    handed: dict[cst.For, Handed] = field(default_factory=dict)
    #: blocks that are to be scanned in an order of their own: they have no steps in the plan
    claims: dict[cst.With, ClaimedScan] = field(default_factory=dict)


@dataclass(frozen=True)
class Planned:
    """What planning gave."""

    plan: Plan
    diagnostics: Collector
    anew: Anew
    #: the method in other forms of loops, by the form and those that it has or was tried in before
    given: dict[object, Method] = field(default_factory=dict)

    def checked(self) -> Plan:
        """The plan.

        Raises:
            SomdCompileError: with all that was found.
        """
        self.diagnostics.raise_if_errors()
        return self.plan
