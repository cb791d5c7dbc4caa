"""How a compiler's graphs, matches and texts are drawn."""
