"""Figures and tables of named numbers of files of results."""
