"""MiniMalloc: problems and solutions as CSV."""
