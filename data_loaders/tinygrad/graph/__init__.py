"""Graphs of tinygrad's compiler: interned nodes, rewrite matches, and sizes."""
