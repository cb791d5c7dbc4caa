"""Memory maps: lifetimes and addresses of blocks, the numbers of an attempt, and findings about
them.
"""
