"""Graphs of a compiler: states of a rewrite step, changes, labels and pictures of nodes, and
machine code.
"""
