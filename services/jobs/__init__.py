"""Jobs: work on many files or runs, whose state is in the catalogue, so that it outlives processes."""
