"""Figures, tables and words of kernels."""
