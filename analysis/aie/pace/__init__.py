"""Pace of a capture: the time of each core, the limiters of the rate, and the gain without each."""
