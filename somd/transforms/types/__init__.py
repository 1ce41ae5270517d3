"""Types of a method's names and expressions: those that NumPy 2 gives the function as written."""
