"""Loops on a GPU beside what CuPy, JAX and PyTorch have for the same work."""
