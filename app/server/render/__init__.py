"""Render processes: slow requests run in child processes, so that quick requests never wait."""
