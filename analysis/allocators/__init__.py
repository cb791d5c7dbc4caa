"""Allocators: algorithms that compute a new placement for the blocks of an attempt."""
