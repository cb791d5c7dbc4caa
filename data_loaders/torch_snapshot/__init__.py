"""Loader for memory snapshots of PyTorch's caching allocator, read without executing their
pickles.
"""
