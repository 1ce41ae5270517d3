"""`Plan` -> OpenCL: kernels in OpenCL C and the master in Python."""
