"""Numbers over time."""
