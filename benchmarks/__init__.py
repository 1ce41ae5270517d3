"""Measured programs: the JavaGrande suite, and comparisons with other systems."""
