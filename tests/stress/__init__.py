"""Programs that treat the multicore target badly, each in a process of its own, on each threading layer."""
