"""Components of the lab."""
