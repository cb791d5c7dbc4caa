"""Figures and captions of AIE captures."""
