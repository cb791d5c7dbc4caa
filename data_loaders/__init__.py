"""Loaders that read the output files of each source into the frames of one schema."""
