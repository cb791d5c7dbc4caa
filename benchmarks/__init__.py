"""Benchmarks: ratios and times measured side by side in one run, never in tests."""
