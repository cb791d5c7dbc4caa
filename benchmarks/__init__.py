"""Benchmarks: times, and ratios of processes that are measured in turn in one run.

Never part of tests.
"""
