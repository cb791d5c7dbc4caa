"""Views of kernels that have names."""
