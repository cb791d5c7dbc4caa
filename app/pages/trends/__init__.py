"""The trends page: metrics over time."""
