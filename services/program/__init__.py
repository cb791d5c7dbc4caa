"""Programs of a compiler: rewrites, graphs, control flow, and their export."""
