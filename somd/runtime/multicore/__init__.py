"""What generated multicore modules import; nothing else of somd is needed to run them.

The list below is the contract with the code generator, with `reduce_...` and `combine_...` for each operator of
reductions.
"""

from typing import Any

from somd.language.partitioners import Chunked, Cyclic
from somd.runtime.blocks import LANES
from somd.runtime.multicore import combining, elementary, reductions
from somd.runtime.multicore.arithmetic import (
    compare_signed,
    fermat_remainder,
    floor_divide,
    integer_power,
    python_compare,
    python_quotient,
    shift_left,
    shift_right,
    size_of,
)
from somd.runtime.multicore.arrays import aligned_from, partials_room, room
from somd.runtime.multicore.combining import (
    combining_work,
    copy_blocks,
    copy_shares,
    own_copy,
    rows_of,
)
from somd.runtime.multicore.compilation import helper, master, slave
from somd.runtime.multicore.complex_functions import (
    complex_angle,
    complex_cos,
    complex_cosh,
    complex_exp,
    complex_log,
    complex_log10,
    complex_sin,
    complex_sinh,
    complex_sqrt,
    complex_tan,
    complex_tanh,
)
from somd.runtime.multicore.complex_numbers import (
    complex_divide,
    complex_multiply,
    complex_power,
    python_divide,
    python_power,
)
from somd.runtime.multicore.complex_products import empty_product, join_products
from somd.runtime.multicore.complex_vectors import (
    complex_vector_at,
    complex_vector_difference,
    complex_vector_filled,
    complex_vector_product,
    complex_vector_quotient,
    complex_vector_sum,
    put_complex_vector,
)
from somd.runtime.multicore.copies import copy_elements
from somd.runtime.multicore.delays import rows_together, turns_at_a_time
from somd.runtime.multicore.fences import join
from somd.runtime.multicore.guards import failed, fault_table, index_of, load, note, note_raise, wrapped
from somd.runtime.multicore.integers import exactly
from somd.runtime.multicore.intrinsics import FAR, NEAR, assume
from somd.runtime.multicore.lane_functions import lane_cos, lane_sin
from somd.runtime.multicore.lanes import elements_within, lane_array
from somd.runtime.multicore.library import call_library, give_array, take_array
from somd.runtime.multicore.numpy_functions import (
    float_to_unsigned,
    numpy_bitwise_count,
    numpy_clip,
    numpy_fmax,
    numpy_fmin,
    numpy_fmod,
    numpy_maximum,
    numpy_minimum,
    numpy_reciprocal,
    numpy_sign,
    numpy_square,
    numpy_where,
    python_isqrt,
    python_rounded,
)
from somd.runtime.multicore.partition import (
    block_range,
    blocks_at_once,
    chunk_trips,
    columns_shape,
    first_from,
    grid_shape,
    logical_blocks,
    part_count,
    parts_of_rows,
    slave_range,
    sloped_range,
    trips,
    uneven_parts,
    with_trips,
)
from somd.runtime.multicore.profiling import counted, now, ran, worked
from somd.runtime.multicore.quick_extremes import quick_maximum, quick_minimum
from somd.runtime.multicore.ranked_arrays import (
    new_copy,
    new_full,
    new_full_like,
    new_ordered_copy,
    new_zeros,
    new_zeros_like,
)
from somd.runtime.multicore.ranks import (
    agree,
    fetch,
    fetch_row,
    gather_rows,
    note_array,
    note_rows,
    part_trips,
    phase_words,
    tell,
    tell_repacked,
    tile_trips,
)
from somd.runtime.multicore.register_tiles import sum_in_registers
from somd.runtime.multicore.relaxed import elsewhere, elsewhere_in, inner_range, keep
from somd.runtime.multicore.signals import answer_signals
from somd.runtime.multicore.small_work import small_work
from somd.runtime.multicore.sums_in_order import added_in_order
from somd.runtime.multicore.sweeps import packed_shape, repack, sweeps_at_a_time
from somd.runtime.multicore.tables import table_length
from somd.runtime.multicore.vectors import (
    elements_of,
    lanes_product,
    lanes_sum,
    last_of,
    put_vector,
    running_sums,
    vector_at,
    vector_difference,
    vector_filled,
    vector_of,
    vector_product,
    vector_quotient,
    vector_sum,
)
from somd.runtime.multicore.words import fermat_product, high_product

__all__ = [
    "FAR",
    "LANES",
    "NEAR",
    "Chunked",
    "Cyclic",
    "added_in_order",
    "agree",
    "aligned_from",
    "answer_signals",
    "assume",
    "block_range",
    "blocks_at_once",
    "call_library",
    "chunk_trips",
    "columns_shape",
    "combining_work",
    "compare_signed",
    "complex_angle",
    "complex_cos",
    "complex_cosh",
    "complex_divide",
    "complex_exp",
    "complex_log",
    "complex_log10",
    "complex_multiply",
    "complex_power",
    "complex_sin",
    "complex_sinh",
    "complex_sqrt",
    "complex_tan",
    "complex_tanh",
    "complex_vector_at",
    "complex_vector_difference",
    "complex_vector_filled",
    "complex_vector_product",
    "complex_vector_quotient",
    "complex_vector_sum",
    "copy_blocks",
    "copy_elements",
    "copy_shares",
    "counted",
    "elementary",
    "elements_of",
    "elements_within",
    "elsewhere",
    "elsewhere_in",
    "empty_product",
    "exactly",
    "failed",
    "fault_table",
    "fermat_product",
    "fermat_remainder",
    "fetch",
    "fetch_row",
    "first_from",
    "float_to_unsigned",
    "floor_divide",
    "gather_rows",
    "give_array",
    "grid_shape",
    "helper",
    "high_product",
    "index_of",
    "inner_range",
    "integer_power",
    "join",
    "join_products",
    "keep",
    "lane_array",
    "lane_cos",
    "lane_sin",
    "lanes_product",
    "lanes_sum",
    "last_of",
    "load",
    "logical_blocks",
    "master",
    "new_copy",
    "new_full",
    "new_full_like",
    "new_ordered_copy",
    "new_zeros",
    "new_zeros_like",
    "note",
    "note_array",
    "note_raise",
    "note_rows",
    "now",
    "numpy_bitwise_count",
    "numpy_clip",
    "numpy_fmax",
    "numpy_fmin",
    "numpy_fmod",
    "numpy_maximum",
    "numpy_minimum",
    "numpy_reciprocal",
    "numpy_sign",
    "numpy_square",
    "numpy_where",
    "own_copy",
    "packed_shape",
    "part_count",
    "part_trips",
    "partials_room",
    "parts_of_rows",
    "phase_words",
    "put_complex_vector",
    "put_vector",
    "python_compare",
    "python_divide",
    "python_isqrt",
    "python_power",
    "python_quotient",
    "python_rounded",
    "quick_maximum",
    "quick_minimum",
    "ran",
    "repack",
    "room",
    "rows_of",
    "rows_together",
    "running_sums",
    "shift_left",
    "shift_right",
    "size_of",
    "slave",
    "slave_range",
    "sloped_range",
    "small_work",
    "sum_in_registers",
    "sweeps_at_a_time",
    "table_length",
    "take_array",
    "tell",
    "tell_repacked",
    "tile_trips",
    "trips",
    "turns_at_a_time",
    "uneven_parts",
    "vector_at",
    "vector_difference",
    "vector_filled",
    "vector_of",
    "vector_product",
    "vector_quotient",
    "vector_sum",
    "with_trips",
    "worked",
    "wrapped",
]


def __getattr__(name: str) -> Any:
    return getattr(combining if name.startswith("combine_") else reductions, name)
