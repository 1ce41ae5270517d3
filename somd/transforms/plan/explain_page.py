"""A plan as a picture: HTML with SVG, no scripts, for notebooks and browsers.

In: a plan. Out: a piece of HTML. From above to below as the method runs: what is done once, phases with their arrays
(the parts of threads in colours, what a thread reads of its neighbours as a frame around its part), fences as bands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from html import escape

import libcst as cst

from somd.diagnostics.colours import as_around
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.plan.explain import attributes, header_text, phase_text
from somd.transforms.plan.requirements import requirements
from somd.transforms.plan.statement_words import access_of, is_between, shown
from somd.transforms.plan.views import EVERYTHING
from somd.transforms.stages import Nest, Phase, Plan, Scan, Serial, Step, Uniform
from somd.transforms.tree.names import names_read
from somd.transforms.tree.spelling import as_written

#: the parts of threads, in colours that people who do not tell red from green tell apart (Okabe and Ito)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
#: the height of a bar, and how far the frame of a view goes beyond a part, in hundredths of the width
BAR, WIDE = 20, 2.5
STYLE = """
.somd-plan { font: 14px/1.5 system-ui, sans-serif; max-width: 720px;
  color: light-dark(#222, #ddd);
  background: light-dark(#fff, #1a1a1a); padding: .1rem .75rem; }
.somd-plan code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere;
  color: inherit; background: light-dark(#eee, #333); }
.somd-plan .once { color: light-dark(#666, #aaa); margin: .4rem 0; }
.somd-plan .together { border-left: 3px solid #8888; padding: .1rem 0 .1rem .8rem; margin: .5rem 0; }
.somd-plan .phase { border: 1px solid #8886; border-radius: 6px; padding: .4rem .8rem; margin: .4rem 0 0; }
.somd-plan .fence { text-align: center; font-size: 12px; color: light-dark(#666, #aaa);
  min-height: 1.4rem; margin: 0 0 .5rem;
  background: repeating-linear-gradient(135deg, #8884 0 6px, transparent 6px 12px); }
.somd-plan .fence span { background: light-dark(#fff, #1a1a1a); padding: 0 .5rem; }
.somd-plan svg { display: block; overflow: visible; }
.somd-plan p.array { margin: .5rem 0 .1rem; }
.somd-plan ul { margin: .2rem 0; padding-left: 1.2rem; }
""" + as_around(".somd-plan")


def page(plan: Plan) -> str:
    """The picture of a plan."""
    method = plan.method
    position = method.position(method.function.name)
    place = f"{os.path.basename(position.file)}:{position.line}"
    head = f"<p><b>{escape(method.qualname)}</b> ({escape(place)})</p>"
    body = "".join(_step(step, plan) for step in plan.body)
    if not plan.phases():
        body += "<p class='once'>nothing is distributed: all of it runs in order, on one thread</p>"
    return f"<div class='somd-plan'><style>{STYLE}</style>{head}{as_written(body, attributes(method))}</div>"


def _step(step: Step, plan: Plan) -> str:
    if isinstance(step, Phase):
        return _phase(step, plan)
    if isinstance(step, Serial):
        count = len(step.statements)
        return f"<p class='once'>once, on one thread: {count} statement{'s' if count != 1 else ''}</p>"
    if isinstance(step, Uniform):
        inner = "".join(_step(each, plan) for each in step.body)
        inner += "".join(["<p>otherwise:</p>", *(_step(each, plan) for each in step.orelse)] if step.orelse else [])
        sweeps = ""
        if step.sweeps is not None:
            far = step.sweeps.radius
            sweeps = f"; several turns from fence to fence, since one needs what the last wrote at most {far} away"
        head = f"by all threads together: <code>{escape(header_text(step.node))}</code>{sweeps}"
        return f"<div class='together'>{head}{inner}</div>"
    if isinstance(step, Scan):
        first = "<p class='once'>first, what each block of the loop below adds up to</p>"
        return first + _phase(step.phase, plan, of_scan=True)
    return "<p class='once'>partial results are joined</p>"


def _phase(phase: Phase, plan: Plan, of_scan: bool = False) -> str:
    nest = phase.nest
    loops, *said = phase_text(phase, plan.method)
    spelled = plan.method.spelled
    ranks = {spelled.get(name, name): rank for name, rank in plan.ranks.items()}
    checks = [
        replace(each, condition=as_written(each.condition, spelled))
        for each in nest.checks
        if shown(each.site, nest, plan.method)
    ]
    needed = [_sentence(each) for each in requirements(checks, ranks)]
    tested = [_sentence(each) for each in _tested(nest, plan)]
    others = [
        _sentence(line.strip())
        for line in said
        if line.strip().startswith(("reduction", "private", "raises", *(() if of_scan else ("one partial",))))
    ]
    lists = "".join(
        f"<p>{title}</p><ul>{''.join(f'<li>{each}</li>' for each in listed)}</ul>"
        for title, listed in (("", others), ("before it begins:", needed), ("in each iteration:", tested))
        if listed
    ).replace("<p></p>", "")
    band = "<div class='fence'><span>fence: every thread waits for all</span></div>"
    return f"<div class='phase'><b>{_sentence(loops)}</b>{_arrays(nest, plan)}{lists}</div>{band}"


def _sentence(text: str) -> str:
    """A sentence whose code stands in backticks."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def _tested(nest: Nest, plan: Plan) -> Iterator[str]:
    """The accesses that are tested where they happen, and what would make that needless."""
    sites = [site for each in nest.guarded.values() for site in each if shown(site, nest, plan.method)]
    for site in dict.fromkeys(map(access_of, sites)):
        yield (
            f"`{site}` is tested: its index, or whether it is reached, is known in the loop only. An index made of "
            "loop variables with +, -, constant factors, // and %, under no condition on data, is tested once, before "
            "the loop"
        )


def _arrays(nest: Nest, plan: Plan) -> str:
    """The arrays of a phase, one below the other; of those that an expression needs on the way none."""
    names = dict.fromkeys((*nest.arrays_read, *nest.arrays_written))
    return "".join(_array(name, nest) for name in names if not is_between(name, plan.method))


def _array(name: str, nest: Nest) -> str:
    """What is done with an array, and the part of each thread as a bar; the frame is what a thread reads."""
    read, written = name in nest.arrays_read, name in nest.arrays_written
    said = "read, written" if read and written else "read" if read else "written"
    axis = _axis(name, nest)
    shared = "any part of it, by every thread"
    if any(each.array == name for each in nest.combined):
        axis, shared = None, "a copy for each thread; the fence combines them"
    if axis is None:
        drawn = [f"<rect x='0' y='3' width='100%' height='{BAR}' fill='#8886'/>"]
        return _drawn(name, f"{said}: {shared}", drawn)
    part = 100 / len(COLOURS)
    drawn = [
        f"<rect x='{thread * part:.1f}%' y='3' width='{part - 0.2:.1f}%' height='{BAR}' fill='{colour}'>"
        f"<title>thread {thread}</title></rect>"
        for thread, colour in enumerate(COLOURS)
    ]
    pairs = nest.views.get(name, ())
    pair = pairs[axis] if axis < len(pairs) else (0, 0)
    if EVERYTHING in pair:
        drawn.append(_frame(0.2, 99.6))
        said += "; thread 1 reads all of it"
    elif pair != (0, 0):
        first, last = part - WIDE * (pair[0] > 0), 2 * part + WIDE * (pair[1] > 0)
        drawn.append(_frame(first, last - first))
        said += f"; thread 1 reads {pair[0]} before its part, {pair[1]} behind"
    return _drawn(name, said, drawn)


def _drawn(name: str, said: str, drawn: list[str]) -> str:
    label = f"<p class='array'><b>{escape(name)}</b> {escape(said)}</p>"
    alt = escape(f"{name}: {said}", quote=True)
    return f"{label}<svg width='100%' height='{BAR + 6}' role='img' aria-label='{alt}'>{''.join(drawn)}</svg>"


def _frame(left: float, width: float) -> str:
    box = f"x='{left:.1f}%' y='1' width='{width:.1f}%' height='{BAR + 4}'"
    return f"<rect {box} fill='none' stroke='currentColor' stroke-width='2' stroke-dasharray='4 3'/>"


def _axis(name: str, nest: Nest) -> int | None:
    """The axis along which a thread has a part of an array: the one that the outermost variable indexes everywhere."""
    found: set[int | None] = set()
    for access in nest.accesses:
        if access.array == name and isinstance(access.node, cst.Subscript):
            indices = index_expressions(access.node)
            places = [k for k, index in enumerate(indices) if nest.dims[0].variable in names_read(index)]
            found.add(places[0] if places and None not in access.indices[: places[0] + 1] else None)
    return next(iter(found)) if len(found) == 1 else None
