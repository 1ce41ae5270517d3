"""What prints loop programs: C for OpenCL."""
