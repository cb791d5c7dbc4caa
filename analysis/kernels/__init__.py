"""Kernels that their source names: groups, rates, roofline, counters, what uses which buffer."""
