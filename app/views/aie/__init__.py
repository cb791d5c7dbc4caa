"""Views of AIE captures."""
