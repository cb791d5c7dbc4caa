"""Components of the page of jobs."""
