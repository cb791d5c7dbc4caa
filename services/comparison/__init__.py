"""Comparisons of runs, and the data of the comparison page."""
