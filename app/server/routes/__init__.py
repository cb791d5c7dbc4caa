"""HTTP routes beside those of Dash."""
