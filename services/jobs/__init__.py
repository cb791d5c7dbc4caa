"""Jobs: work on many files or runs, whose state in the catalogue survives the processes."""
