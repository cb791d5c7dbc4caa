"""Loader of torch.profiler (Kineto) traces."""
