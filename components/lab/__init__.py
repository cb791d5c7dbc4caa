"""Figures and grids of the lab."""
