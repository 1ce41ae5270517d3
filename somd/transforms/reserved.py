"""Names that generated code uses itself: what `somd.runtime.multicore` offers, and the modules beside it."""

from __future__ import annotations

import builtins

_MULTICORE = """
Chunked Cyclic FAR LANES NEAR aligned_from answer_signals assume block_range combine_and combine_max combine_min
combine_or combine_product combine_sum combine_xor combining_work complex_angle complex_cos complex_cosh
complex_divide complex_exp complex_log complex_log10 complex_power complex_sin complex_sinh complex_sqrt complex_tan
complex_tanh copy_blocks copy_shares elementary elements_within elsewhere elsewhere_in exactly failed fermat_product
fermat_remainder first_from float_to_unsigned floor_divide grid_shape helper high_product index_of inner_range
integer_power join keep lane_array lane_cos lane_sin load logical_blocks master note note_raise numpy_bitwise_count
numpy_clip numpy_fmax numpy_fmin numpy_fmod numpy_maximum numpy_minimum numpy_reciprocal numpy_sign numpy_square
numpy_where own_copy packed_shape part_count python_divide python_isqrt python_power reduce_all reduce_and
reduce_any reduce_max reduce_min reduce_or reduce_product reduce_sum reduce_xor repack room rows_of rows_together
shift_left shift_right slave slave_range small_work store sweeps_at_a_time table_length trips turns_at_a_time
uneven_parts with_trips wrapped
"""
#: the modules whose functions generated multicore modules call
MODULES = ("np", "math", "elementary")
#: the names that a generated multicore module may import from the runtime
MULTICORE = tuple(_MULTICORE.split())
RESERVED = frozenset(
    (
        *MULTICORE,
        "np",
        "math",
        "prange",
        "run",
        "SITES",
        "RESULT",
        "WRITTEN",
        "PARTITIONS",
        "HAS_FAULTS",
        "RAISES",
        "FENCES",
        "UNEVEN",
        "IN_PIECES",
    )
)
#: Python's own names; without `_`, which an interactive session and doctest put there
BUILTINS = frozenset(name for name in vars(builtins) if not name.startswith("_"))
