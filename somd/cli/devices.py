"""`somdc devices`: the targets and OpenCL devices of this machine."""

from __future__ import annotations

from somd.cli.cache import in_words
from somd.cli.output import progress, say, table
from somd.runtime.targets import targets
from somd.settings.config import settings_for


def devices() -> None:
    """List targets and OpenCL devices, the preferred ones first, and say what cannot be used and why."""
    with progress("asking the drivers"):
        usable = targets()
    settings = settings_for("somdc", "somdc")
    say("targets")
    rows = []
    for target, reason in usable.items():
        mark = f", {settings.workers} workers ({settings.workers_origin})" if target == "multicore" else ""
        said = f"can be used{mark}" if reason is None else f"cannot be used: {reason.splitlines()[0]}"
        rows.append((target, said + (f"; chosen by {settings.target_origin}" if target == settings.target else "")))
    say(table(rows, indent="  "))
    say("OpenCL devices")
    for line in _opencl(settings.device):
        say(line)


def _opencl(wanted: object) -> list[str]:
    from somd.runtime.opencl import NoDevice, select
    from somd.runtime.opencl import devices as every
    from somd.runtime.opencl.devices import problem

    found = every()
    wish = wanted[0] if isinstance(wanted, tuple) else wanted
    chosen, reason = None, ""
    try:
        chosen = select(str(wish) if wish is not None else None).info
    except NoDevice as error:
        reason = error.message
    rows = []
    for info in found:
        why = problem(info)
        state = "chosen" if info == chosen else "" if why is None else f"cannot be used: {' '.join(why.split())}"
        doubles = "doubles" if info.doubles else "no doubles"
        units = f"{info.compute_units} units"
        rows.append((info.kind, f"{info.driver}: {info.name}", doubles, units, in_words(info.global_memory), state))
    lines = table(rows, indent="  ").splitlines()
    if reason:
        lines += [f"  {line}" for line in reason.splitlines() if not line.strip().startswith("found:")]
    return lines or ["  none"]
