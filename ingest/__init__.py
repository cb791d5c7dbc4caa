"""From files to stored runs."""
