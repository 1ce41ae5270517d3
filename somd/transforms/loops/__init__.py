"""The loop program: what a plan means for one signature, as a typed tree that every target can be written from."""
