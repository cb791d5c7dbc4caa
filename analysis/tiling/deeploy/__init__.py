"""Tilings of Deeploy runs: the tool's choice per operator and memory level, and its alternatives."""
