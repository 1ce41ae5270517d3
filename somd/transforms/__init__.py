"""The compiler: source text to a plan to the text of a target (DESIGN section 3)."""
