"""HTTP routes besides Dash's own routes."""
