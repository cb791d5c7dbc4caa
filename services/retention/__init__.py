"""Retention: deletion of old runs, the runs that it must keep, and verdicts that it makes
permanent.
"""
