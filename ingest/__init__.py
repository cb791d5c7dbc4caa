"""Ingest: read files with loaders, analyse them, and store them as runs."""
