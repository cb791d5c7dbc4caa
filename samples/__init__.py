"""Small input files of every source, written by models of the tools or captured by a script."""
