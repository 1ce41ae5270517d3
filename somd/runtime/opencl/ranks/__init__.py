"""A rank's share of a call on its device.

What several devices of one process do among themselves (`several`), ranks do with their devices: a launch is cut along
a loop where `Run.split` has told which rows a part of it touches, and other launches run whole, on every rank. Rows
travel through the host, by the session of the call (`runtime.mpi.session`). Masters and kernels are those of one
process: a master is Python, which every rank runs.
"""
