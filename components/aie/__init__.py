"""Figures and words of AIE captures."""
