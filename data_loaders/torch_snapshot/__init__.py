"""Loader for memory snapshots of PyTorch's caching allocator that never executes a pickle."""
