"""The page of allocators x runs: what every strategy makes of the memory maps of selected runs."""
