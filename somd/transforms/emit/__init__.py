"""What prints loop programs: C for OpenCL, in files that begin with `c`."""
