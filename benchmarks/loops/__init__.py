"""Loop kernels of PolyBench and of application fields, written from their definitions: `python -m benchmarks.loops`.

A kernel is one plain function with loops. Its annotations mark what is distributed; loops that a Numba user would hand
to `prange` end in the comment `# prange`. Beside it stand the form that a NumPy user would write, the inputs, and the
sizes. Each module holds the kernels of one field, and lists them in `KERNELS`.
"""
