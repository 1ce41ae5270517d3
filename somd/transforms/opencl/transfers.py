"""What moves between host and device when a plan runs on OpenCL, in words.

An array is uploaded when a kernel first touches it (a kernel may write a part of it only); an array made by the method
stays on the device; what changed and can be seen outside comes back when the call ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from somd.transforms.stages import Plan, Serial, all_steps, written_arrays


def transfers(plan: Plan) -> Iterator[str]:
    """The lines of the report."""
    touched: set[str] = set()
    written: set[str] = set()
    between: set[str] = set()
    for phase in plan.phases():
        touched.update(phase.nest.arrays_read, phase.nest.arrays_written)
        written.update(phase.nest.arrays_written)
    for step in all_steps(plan):
        if isinstance(step, Serial):
            between.update(set(step.arrays_read) & written)
    params = plan.method.param_names
    changed = written_arrays(plan)
    yield f"to the device: {_listed(n for n in params if n in touched)}"
    yield f"back, when the call ends: {', '.join([*(n for n in params if n in changed), 'arrays that are returned'])}"
    made = sorted(touched - set(params))
    if made:
        yield f"made on the device: {', '.join(made)}"
    if between:
        yield f"read between phases, by the master: {', '.join(sorted(between))}"


def _listed(names: Iterator[str]) -> str:
    return ", ".join(names) or "nothing"
