"""Small inputs of every source: made by models of what writes them, or captured where that is told."""
