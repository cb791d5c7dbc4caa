"""Contents of a memory peak, and changes that lower it, each replayed on the map."""
