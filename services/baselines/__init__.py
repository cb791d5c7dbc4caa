"""Baselines: names for runs that others are compared with, and which runs a name stands for at a time."""
