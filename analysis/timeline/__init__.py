"""Lanes, levels of detail, search and marker windows of a timeline."""
