"""The views of a comparison of runs."""
