"""Parts of the landing page."""
