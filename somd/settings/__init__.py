"""Which target, how many workers and which device: the file, the environment, `use`."""
