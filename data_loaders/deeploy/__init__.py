"""Loader of Deeploy runs: memory maps, and the code, graph, log and tables of Deeploy's tiler."""
