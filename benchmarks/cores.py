"""Which CPUs this process may use, one for each core where the system shows which CPUs are two threads of one core.

Linux only; elsewhere, and where the system shows nothing, each CPU counts as a core.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

SYSTEM = Path("/sys/devices/system")


def allowed() -> list[int]:
    """The CPUs of this process, in order."""
    affinity = getattr(os, "sched_getaffinity", None)
    return sorted(affinity(0)) if affinity else list(range(os.cpu_count() or 1))


def one_for_each_core(cpus: list[int]) -> list[int]:
    """The first CPU of each core among `cpus`, those of one NUMA node after those of another."""
    first: dict[tuple[int, frozenset[int]], int] = {}
    for cpu in cpus:
        first.setdefault((node_of(cpu), threads_of_its_core(cpu)), cpu)
    return [cpu for (_, _), cpu in sorted(first.items(), key=lambda item: (item[0][0], item[1]))]


def spread(cpus: list[int], count: int) -> list[int]:
    """So many of `cpus`, or all, at equal distances: neighbours may share a core though the system does not show it.

    >>> spread([0, 1, 2, 3, 8, 9], 3)
    [0, 2, 8]
    >>> spread([0, 1], 3)
    [0, 1]
    """
    count = min(count, len(cpus))
    return [cpus[each * len(cpus) // count] for each in range(count)]


def threads_of_its_core(cpu: int) -> frozenset[int]:
    """The CPUs that share a core with `cpu`, itself too."""
    file = SYSTEM / f"cpu/cpu{cpu}/topology/thread_siblings_list"
    return frozenset(_listed(file.read_text())) if file.exists() else frozenset((cpu,))


def node_of(cpu: int) -> int:
    """The number of the NUMA node of `cpu`; 0 where the system shows none."""
    for each in (SYSTEM / f"cpu/cpu{cpu}").glob("node[0-9]*"):
        return int(each.name[len("node") :])
    return 0


def described(cpus: list[int]) -> str:
    """What `cpus` are, in words."""
    all_cpus = allowed()
    cores = len(one_for_each_core(all_cpus))
    nodes = len({node_of(cpu) for cpu in cpus})
    return f"{len(cpus)} of {cores} cores ({len(all_cpus)} CPUs), on {nodes} NUMA node{'s' * (nodes > 1)}"


def _listed(text: str) -> list[int]:
    """The numbers of a list as Linux writes it: 0-2,8."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return found
