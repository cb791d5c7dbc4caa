"""Views of the design of an AIE array, and of its joins with a trace."""
