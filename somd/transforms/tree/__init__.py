"""The tools for libcst trees that all rooms of the compiler use."""
