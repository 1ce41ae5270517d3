"""What holds while compilers work: one thread at a time, signals wait, failures of libraries are ours."""
