"""Two runs, or groups of runs, against each other: what differs, by how much, and whether that can be believed."""
