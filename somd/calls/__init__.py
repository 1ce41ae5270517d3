"""What happens between a call and the generated code."""
