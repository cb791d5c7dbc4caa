"""What a compiler did to its graphs: states of a rewrite step, what changed, how nodes are written, machine code."""
