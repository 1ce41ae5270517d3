"""What runs: target choice, partitioning, execution and reduction (DESIGN sections 4 to 6)."""
