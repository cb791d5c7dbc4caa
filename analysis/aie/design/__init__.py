"""The physical design of an array, and what it explains of a trace: memory and lock stalls."""
