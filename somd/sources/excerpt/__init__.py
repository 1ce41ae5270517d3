"""What a file's SOMD methods need of it, evaluated: the part that can be had without running the program.

    names       the names that a statement reads, binds and changes
    selection   from the methods: which top-level statements are looked at, in the file and in the user's other files
    places      which modules are the user's own, and where their text is
    allowed     the calls that are made, and the values whose operators and attributes are known
    operators   the functions behind Python's operators
    scope       where names are looked up
    expressions values of expressions; whatever is not known to have no effect is `Refused`
    statements  assignments, definitions and branches, one after the other; loops are `Refused`
    calls       attributes and calls
    changes     what a statement that is not run may have changed
    definitions functions and classes
    modules     the user's modules, run so far as they are selected

What is refused leaves a `NotRun` in the place of its value; the compiler does not look at a method that needs one.
"""
