"""Runs against each other, and numbers over time."""
