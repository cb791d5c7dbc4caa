"""The page of allocators and runs: results of every strategy for the memory maps of selected runs."""
