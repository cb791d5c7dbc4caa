"""Sizes of requests that the connection and the application accept."""

FILES_PATHS = ("/api/upload", "/api/v1/runs")
"""What takes files as the body of a request."""
PARTS_PATH = "/api/v1/uploads/"
"""Begins the paths that take parts of a file."""
TOOLS_PATH = "/mcp"
"""Where assistants call tools."""
_FINISH = "/finish"
"""Ends the paths below it that take ids alone."""
HEADER_LIMIT = 2**16
"""Most bytes of a request's line and headers: a view names devices and tensors, in any script."""
CALLBACK_LIMIT = 4 * 2**20
"""Most bytes of any request but an upload; a callback carries ids and view state only."""


def takes_files(path: str) -> bool:
    """Return whether a request to a path may carry files or parts of them."""
    return path in FILES_PATHS or (path.startswith(PARTS_PATH) and not path.endswith(_FINISH))
