"""tinygrad: profiler captures, read without trust."""
