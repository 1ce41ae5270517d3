"""The definition of a plan: a back end in plain Python that runs the MIs of every phase in shuffled order.

It is slow and is used by tests only. Every claim that a plan makes is tested while it runs: iterations of a nest share
nothing but reductions, accesses that carry no test stay inside their arrays, indexes said not to be negative are not.
"""
