"""Retention: which old runs go, which runs are held back, and which verdicts stay as they are."""
