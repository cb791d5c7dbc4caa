"""Figures, tables and captions of kernels."""
