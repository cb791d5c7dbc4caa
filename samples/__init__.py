"""Small inputs of every source: made by models of what writes them, or captured by a script where a module says so."""
