"""Deeploy: a run's memory maps, and what its tiler leaves beside them."""
