"""Data and operations of runs and of the store for pages, commands, exports and the HTTP API,
without Dash, Flask or click.
"""
