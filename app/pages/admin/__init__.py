"""The administration page."""
