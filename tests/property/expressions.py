"""Random indexes, conditions and values for generated programs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Names:
    """What an expression may mention: arrays with their rank, names of lengths, uniform loop variables, scalars."""

    pick: random.Random
    arrays: dict[str, int]
    sizes: list[str] = field(default_factory=lambda: ["m"])
    uniform: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    gather: bool = False
    floats: bool = False
    mixed: bool = False
    #: in a tame nest: (axis, index) by which every access of a written array tells iterations apart
    roles: dict[str, tuple[int, str]] = field(default_factory=dict)


def index(names: Names, variables: list[str], axis: int = 0, write: bool = False) -> str:
    """An index; for a write mostly one that different iterations do not share."""
    pick = names.pick
    if axis >= len(variables) and pick.random() < 0.7:
        return pick.choice(("0", "1", "1", "-1", "2", "k", *names.uniform))
    v = variables[axis] if axis < len(variables) and pick.random() < 0.9 else pick.choice(variables)
    plain = [v] * 6 + [f"{v} + 1", f"{v} - 1"]
    if write and pick.random() < 0.75:
        return pick.choice(plain)
    size = pick.choice(names.sizes)
    array, rank = pick.choice(sorted(names.arrays.items()))
    length = f"{array}.shape[{pick.randrange(rank)}]"
    w = pick.choice(variables)
    forms = [
        f"{v} + 2", f"{v} - 2", f"{v} + k", f"{v} - k", f"{size} - 1 - {v}", f"{length} - 1 - {v}", f"{length} - {v}",
        f"2 * {v}", f"2 * {v} + 1", f"{v} // 2", f"{v} % 3", f"({v} + 1) % 2", f"{v} + {w}", f"{v} - {w}",
        f"-{v}", f"-{v} - 1", f"{v} * STRIDE", f"3 - {v}", f"2 * {v} - {w}", f"2 * ({v} // 2)", f"{v} + {v} % 2",
    ]  # fmt: skip
    constant = ["0", "1", "-1", "k", "m - 1", "2"]
    if names.uniform:
        constant += [*names.uniform, f"{v} + {names.uniform[-1]}"]
    chance = pick.random()
    if chance < 0.5:
        return pick.choice(plain)
    if chance < 0.62 and not write:
        return pick.choice(constant)
    if chance < 0.66 and names.gather:
        return f"at[{v}]"
    if chance < 0.67:
        return pick.choice(constant)
    return pick.choice(forms)


def element(names: Names, variables: list[str], array: str, write: bool = False) -> str:
    """An element of `array`."""
    axes = [index(names, variables, axis, write) for axis in range(names.arrays[array])]
    if array in names.roles:
        axis, own = names.roles[array]
        axes[axis] = own
    return f"{array}[{', '.join(axes)}]"


def access(names: Names, variables: list[str]) -> str:
    """A read of an element."""
    return element(names, variables, names.pick.choice(sorted(names.arrays)))


def injective(names: Names, array: str, axis: int) -> str:
    """An index in which the iterations of the outermost loop differ."""
    length = f"{array}.shape[{axis}]"
    forms = ["i - 1", "i + 2", "i + k", f"{length} - 1 - i", f"{length} - i", "m - 1 - i", "2 * i", "2 * i + 1"]
    forms += ["i * STRIDE", "-i - 1", "-i", "3 - i", "3 * i - 1", "i + i % 2" if axis else "i + 1"]
    return names.pick.choice(("i", "i", "i", "i", "i", "i + 1", *forms))


def value(names: Names, variables: list[str], depth: int = 0) -> str:
    """A value, of few operations so that nothing overflows."""
    pick, chance = names.pick, names.pick.random()
    if chance < 0.5 or depth > 1:
        return access(names, variables)
    if chance < 0.6:
        return pick.choice((*variables, "1", "2", "m", *names.scalars * 3))
    if chance < 0.65:
        test = condition(names, variables)
        return f"({access(names, variables)} if {test} else {access(names, variables)})"
    if chance < 0.7:
        inner = access(names, variables)
        return pick.choice((f"abs({inner})", f"min({inner}, {access(names, variables)})", f"max({inner}, 3)"))
    left, right = value(names, variables, depth + 1), value(names, variables, depth + 1)
    if chance < 0.78:
        factor = pick.choice(("0.5", "2.0", "0.25")) if names.floats else pick.choice(("2", "3"))
        return f"{factor} * {left}"
    if chance < 0.82 and not names.floats:
        return f"{access(names, variables)} {pick.choice(('// 2', '% 3'))}"
    return f"({left} {pick.choice('+-')} {right})"


def condition(names: Names, variables: list[str]) -> str:
    """A test: affine, on data, or of both."""
    pick, chance = names.pick, names.pick.random()
    v, w = pick.choice(variables), pick.choice(variables)
    affine = [
        f"{v} % 2 == {pick.choice('01')}",
        f"{v} > {pick.choice('012')}",
        f"{v} < m",
        f"{v} != {pick.choice('012')}",
    ]
    affine += [f"{v} < m - 1", f"0 < {v} < m - 1", f"{v} >= k", f"{v} == k", "k > 0", f"not {v} > 2"]
    if v != w:
        affine += [f"{v} < {w}", f"{v} == {w}", f"{v} != {w}", f"({v} + {w}) % 2 == 0", f"{v} <= {w}"]
    if names.uniform:
        affine += [f"({v} + {names.uniform[-1]}) % 2 == 0"]
    if chance < 0.65:
        return pick.choice(affine)
    if chance < 0.8:
        return f"{access(names, variables)} {pick.choice('<>')} {pick.choice('0123')}"
    word = pick.choice(("and", "or"))
    if chance < 0.9:
        return f"{pick.choice(affine)} {word} {pick.choice(affine)}"
    return f"{pick.choice(affine)} {word} {access(names, variables)} > 1"
