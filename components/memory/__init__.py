"""The memory views: map, occupancy, live bytes, time steps, grids and words."""
