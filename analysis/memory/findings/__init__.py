"""What is wrong with a memory map, as diagnostics."""
