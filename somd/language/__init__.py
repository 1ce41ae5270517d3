"""What a user writes: the markers, the partitioners and how results are combined."""
