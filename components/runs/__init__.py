"""Figures and tables of the list of runs."""
