"""Machine code of compiled kernels: containers, instructions, basic blocks. It runs in a process of its own."""
