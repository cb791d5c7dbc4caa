"""Baselines: named sets of runs that others are compared with, and their members at a time."""
