"""Drawings of a compiler's graphs, matches and texts."""
