"""Views of kernels whose source names them."""
