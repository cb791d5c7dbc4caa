"""How operators are cut into tiles: what a choice holds in local memory, what it moves, and what else was possible."""
