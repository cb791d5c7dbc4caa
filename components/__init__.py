"""Pure functions from frames and view state to figures and layouts."""
