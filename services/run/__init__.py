"""A run's data, metrics and frames, as every page, command and route asks for them."""
