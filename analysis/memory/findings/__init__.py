"""Findings about memory maps, as diagnostics."""
