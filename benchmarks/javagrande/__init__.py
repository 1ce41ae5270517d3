"""Section 2 of the JavaGrande Forum benchmark suite, as SOMD methods.

Each of `crypt`, `lufact`, `series`, `sor` and `sparsematmult` holds a plain function and its annotated twin, and is
used by the runner through four functions: `prepare`, `kernel`, `sequential` and `validate`.
"""
