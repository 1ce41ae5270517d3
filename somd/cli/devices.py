"""`somdc devices`: the targets of this machine, and the devices of each."""

from __future__ import annotations

from somd.cli.cache import in_words
from somd.cli.output import progress, say, table
from somd.settings.config import settings_for
from somd.settings.targets import TARGETS, Device, target_of, targets


def devices() -> None:
    """List targets and devices, the preferred ones first, and say what cannot be used and why."""
    with progress("asking the drivers"):
        usable = targets()
    settings = settings_for("somdc", "somdc")
    say("targets")
    rows = []
    for target, reason in usable.items():
        divided = target in TARGETS and target_of(target).uses_workers
        mark = f", {settings.workers} workers ({settings.workers_origin})" if divided else ""
        said = f"can be used{mark}" if reason is None else f"cannot be used: {reason.splitlines()[0]}"
        rows.append((target, said + (f"; chosen by {settings.target_origin}" if target == settings.target else "")))
    say(table(rows, indent="  "))
    for known in map(target_of, TARGETS):
        if known.device_kind:
            say(f"{known.device_kind} devices")
            found, notes = known.devices(settings.device)
            lines = [*table(map(_row, found), indent="  ").splitlines(), *(f"  {line}" for line in notes)]
            say("\n".join(lines or ["  none"]))


def _row(device: Device) -> tuple[str, ...]:
    doubles = "doubles" if device.doubles else "no doubles"
    return device.kind, device.name, doubles, f"{device.units} units", in_words(device.memory), device.state
