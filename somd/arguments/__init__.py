"""What a call is given: its signature, which arguments share memory, arrays on devices."""
