"""Sizes that the connection and the application hold requests to."""

UPLOAD_PATH = "/api/upload"
HEADER_LIMIT = 2**16
"""Most bytes of a request's line and headers: a view names devices and tensors, in any script."""
CALLBACK_LIMIT = 4 * 2**20
"""Most bytes of any request but an upload; a callback carries ids and view state only."""
