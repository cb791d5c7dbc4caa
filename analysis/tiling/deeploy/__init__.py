"""Tilings of Deeploy runs: the tool's choice per operator and level, and alternatives."""
