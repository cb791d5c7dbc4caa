"""The alerts page."""
