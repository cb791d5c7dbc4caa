"""Loader for XLA: buffer assignments of compiled modules."""
