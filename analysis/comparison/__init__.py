"""Comparison of two runs, or two groups of runs: differences, their sizes, and whether they are
significant.
"""
