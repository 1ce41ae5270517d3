"""Other ways to write the kernels of `benchmarks.javagrande`, to compare with: one file a kernel.

Each has `PEERS`, by name a function that takes the arguments of the port's `kernel` and returns what that returns, with
as many threads as Numba is set to (`numba.set_num_threads`).
"""
