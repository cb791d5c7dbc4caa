"""The timeline and its overview."""
