"""Data of a run: capabilities, frames, metrics, memory maps and exports for pages, commands and
routes.
"""
