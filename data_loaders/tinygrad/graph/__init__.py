"""Graphs that tinygrad's compiler rewrote: nodes once each, matches, sizes."""
