"""Tilings of operators: bytes that a choice of tile holds and moves, and the alternatives."""
