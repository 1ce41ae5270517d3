"""What a method reaches besides its arguments, and its source: looked up once, noted, and watched."""
