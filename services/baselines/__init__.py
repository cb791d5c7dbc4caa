"""Baselines: named sets of runs with which new runs are compared, and their members at a time."""
