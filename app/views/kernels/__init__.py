"""Views of kernels that their source names."""
