"""Memory snapshots of PyTorch's caching allocator, read without trust."""
