"""From `Method` to `Plan`: which loops are distributed, where phases begin and end."""
