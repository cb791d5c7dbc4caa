"""Data of one run: capabilities, frames, metrics, memory maps and exports for every page, command
and route.
"""
