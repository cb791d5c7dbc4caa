"""Bisections of a key: lists of commits, stored bisections, and their plans from the runs."""
