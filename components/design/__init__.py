"""Figures, tables and words about the design of an AIE array."""
