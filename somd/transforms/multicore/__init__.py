"""`Plan` -> Python source for Numba: a master, slaves, and the helpers they call."""
