"""Named numbers of files of results."""
