"""Several devices at work on one call: arrays in blocks of rows, what a device lacks of them brought from the others.

A launch is cut along a distributed loop, as `Blocks` says which rows a part of it touches; what has no blocks runs whole
on the first device. Kernels are those of one device, and indexes those of the whole array: every device has room for
all rows, and holds those that it needs. See each file's head.
"""
