"""What loaders read with: files, JSON, pickles, a process with limits."""
