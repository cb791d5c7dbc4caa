"""Kineto: the traces of torch.profiler."""
