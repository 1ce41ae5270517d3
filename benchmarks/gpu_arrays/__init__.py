"""Array programs on a GPU: by somd, CuPy and JAX."""
