"""Measured programs: the JavaGrande suite, and comparisons with other systems."""

import os

# The threads of NumPy's linear algebra, which validations use, spin on for a while, on the cores of the next run.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
