"""Elementary functions of float64, with the same bits on every target and within 2 units of the last place.

One text of each, in plain Python: sums, products, quotients and square roots as IEEE 754 has them, fused
multiply-adds, and operations on bits. `runtime.multicore.elementary` makes LLVM code of it, `transforms.emit` C.
"""
