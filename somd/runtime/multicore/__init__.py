"""What generated multicore modules import; nothing else of somd is needed to run them.

The list below is the contract with the code generator.
"""

from somd.partitioners import Chunked, Cyclic
from somd.runtime.multicore.arithmetic import floor_divide, shift_left, shift_right
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
from somd.runtime.multicore.complex_numbers import complex_divide, complex_power, python_divide, python_power
from somd.runtime.multicore.guards import failed, fault_table, index_of, load, note, store, wrapped
from somd.runtime.multicore.intrinsics import FAR, assume
from somd.runtime.multicore.partition import (
    LANES,
    SMALL,
    block_range,
    extent,
    first_from,
    grid_shape,
    logical_blocks,
    slave_range,
    trips,
)
from somd.runtime.multicore.reductions import (
    reduce_all,
    reduce_and,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_product,
    reduce_sum,
    reduce_xor,
)

__all__ = [
    "FAR",
    "LANES",
    "SMALL",
    "Chunked",
    "Cyclic",
    "assume",
    "block_range",
    "complex_angle",
    "complex_cos",
    "complex_cosh",
    "complex_divide",
    "complex_exp",
    "complex_log",
    "complex_log10",
    "complex_power",
    "complex_sin",
    "complex_sinh",
    "complex_sqrt",
    "complex_tan",
    "complex_tanh",
    "extent",
    "failed",
    "fault_table",
    "first_from",
    "floor_divide",
    "grid_shape",
    "helper",
    "index_of",
    "load",
    "logical_blocks",
    "master",
    "note",
    "python_divide",
    "python_power",
    "reduce_all",
    "reduce_and",
    "reduce_any",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_product",
    "reduce_sum",
    "reduce_xor",
    "shift_left",
    "shift_right",
    "slave",
    "slave_range",
    "store",
    "trips",
    "wrapped",
]
