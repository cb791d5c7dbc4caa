"""Runs set against each other: comparisons, trends, baselines, gates and verdicts."""
