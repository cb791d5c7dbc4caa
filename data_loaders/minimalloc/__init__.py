"""Loader of MiniMalloc problems and solutions in CSV."""
