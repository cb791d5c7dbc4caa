"""HTTP routes besides those of Dash."""
