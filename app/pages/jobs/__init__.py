"""The page of jobs."""
