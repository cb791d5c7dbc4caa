"""Memory maps: what is alive where and when, what it needs, and what is wrong with it."""
