"""Kernels of sources that name them: groups, rates, roofline, counters, use of buffers."""
