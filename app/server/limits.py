"""Size limits of requests, and the paths that they apply to."""

FILES_PATHS = ("/api/upload", "/api/v1/runs")
"""Paths that accept files as the request body."""
PARTS_PATH = "/api/v1/uploads/"
"""Prefix of the paths that accept parts of a file."""
TOOLS_PATH = "/mcp"
"""Path at which assistants call tools."""
_FINISH = "/finish"
"""Suffix of the paths below `PARTS_PATH` that accept ids only."""
HEADER_LIMIT = 2**16
"""Maximum bytes of request line and headers: views name devices and tensors in any script."""
CALLBACK_LIMIT = 4 * 2**20
"""Maximum bytes of any request except an upload; a callback has ids and view state only."""


def takes_files(path: str) -> bool:
    """Whether a request to this path may contain files or parts of files, so that the large size
    limit applies.
    """
    return path in FILES_PATHS or (path.startswith(PARTS_PATH) and not path.endswith(_FINISH))
