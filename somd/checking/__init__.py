"""Whether two runs of a method agree."""
