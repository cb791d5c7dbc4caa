"""Views of named numbers of files of results."""
