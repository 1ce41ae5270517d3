"""What fixes the bits of a result: how the trips of a loop are cut, and in which shape the parts are combined.

Every target takes it from here. Floating-point sums and products depend on their association, and this is all that it
follows from besides the trips and the sizes of arrays: no number of workers, no device. Changing a number here, or a
function, changes the last places of results; so the keys of all that is kept of generated code depend on this module.

- The trips are cut into logical blocks (`logical_blocks`), of which each gives one partial result.
- In a block, trip t of the innermost loop goes to lane t % LANES; lanes start from the neutral element.
- Lanes, and then the partial results of the blocks, are combined by pairs of neighbours, level by level: 0 with 1, 2
  with 3 ..., one that is left over as it is, until there is one. The value from before the loop stands to its left.
- Arrays that a fence combines have a copy for each block (`copy_blocks`), combined in the same tree.

The functions are also compiled, with machine words: their text keeps to what `of_integers` of the target multicore
takes.
"""

from __future__ import annotations

#: interleaved accumulators in a logical block of a floating-point reduction; where a nest has one loop, a block is a
#: multiple of so many trips long
LANES = 32
#: logical blocks that a long reduction is cut into
BLOCKS = 1024
#: private copies of combined arrays at most, and elements in all of them
COPIES, COPY_ELEMENTS = 1024, 1 << 23
#: a copy costs this many updates an element; copies beyond SOME_COPIES must be this much cheaper than the updates
COST, SOME_COPIES, CHEAP = 4, 16, 16


def logical_blocks(count: int, quantum: int) -> tuple[int, int]:
    """(number of blocks, trips in a block) for a reduction over `count` trips, a multiple of `quantum`."""
    if count <= BLOCKS:  # without a division by what is not constant, which short reductions would feel
        return (count + quantum - 1) // quantum, quantum
    length = (count + BLOCKS - 1) // BLOCKS
    length = (length + quantum - 1) // quantum * quantum
    return (count + length - 1) // length, length


def copy_blocks(count: int, updates: int, elements: int) -> tuple[int, int]:
    """(number of blocks, trips in a block) for `count` trips with so many updates of arrays that have so many
    elements, each block with copies of its own."""
    elements = max(elements, 1)
    copies = max(updates // (CHEAP * elements), min(SOME_COPIES, updates // (COST * elements)))
    copies = max(1, min(copies, COPIES, COPY_ELEMENTS // elements))
    length = max(1, (count + copies - 1) // copies)
    return (count + length - 1) // length, length
