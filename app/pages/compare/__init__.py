"""The page of runs against each other."""
