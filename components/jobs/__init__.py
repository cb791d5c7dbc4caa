"""Jobs as components."""
