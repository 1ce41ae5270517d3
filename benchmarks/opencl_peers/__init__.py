"""Kernels written by hand for a GPU, beside those that are generated: `python -m benchmarks.opencl_peers`."""
