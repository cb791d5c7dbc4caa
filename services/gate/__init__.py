"""The gate of a build, and the verdicts of runs against baselines."""
