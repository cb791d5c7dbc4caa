"""Views of memory maps."""
