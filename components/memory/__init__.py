"""Figures, grids and captions of the memory views."""
