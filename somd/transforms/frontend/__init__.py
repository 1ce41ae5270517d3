"""From source text to `Method`: libcst, the markers, and the Python that a method may use."""
