"""Baseline rules, their verdicts, and the status of every key."""
