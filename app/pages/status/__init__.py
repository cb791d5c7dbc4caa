"""The latest run of every key against a baseline rule."""
