"""AIE captures: kernels, iterations, activity, and findings about a capture."""
