"""Several devices at work on one call: arrays in blocks of rows, and what a device lacks brought from the others.

A launch is cut along a distributed loop where `Run.split` has told which rows a part of it touches; other launches run
whole on the first device. Kernels are those of one device, and so are indexes: every device has room for all rows of an
array, and holds those that it needs. See each file's head.
"""
