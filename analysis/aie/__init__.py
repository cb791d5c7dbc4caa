"""AIE captures: kernels, iterations, activity, and what is wrong with a capture."""
