"""Programs of a compiler: rewrites, graphs, and their export."""
