"""Loader for tinygrad's profiler captures, read without executing their pickles."""
