"""Explain memory stalls and lock stalls of a trace by the physical design of the array."""
