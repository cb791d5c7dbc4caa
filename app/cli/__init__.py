"""Command line: a module per command."""
