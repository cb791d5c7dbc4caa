"""The views of runs against each other."""
