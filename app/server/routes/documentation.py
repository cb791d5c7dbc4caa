"""`/docs/`: the documentation site if `make docs` has built it.

Its pages load nothing from elsewhere.
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, redirect, send_from_directory
from werkzeug.exceptions import NotFound

from app.config.assets import DOCUMENTATION
from app.request.errors import RequestError

_INDEX = "index.html"


def register(server: Flask, folder: Path = DOCUMENTATION) -> None:
    """Add the routes of the site in `folder`; the response is 404 if it is not built or has no such
    page.
    """

    @server.get("/docs")
    def documentation_root() -> Response:
        return redirect("/docs/")  # type: ignore[return-value]

    @server.get("/docs/", defaults={"path": _INDEX})
    @server.get("/docs/<path:path>")
    def documentation(path: str) -> Response:
        if not (folder / _INDEX).is_file():
            raise RequestError(
                "The documentation is not built on this server: run make docs in a checkout.",
                404,
            )
        try:
            return send_from_directory(folder, path, max_age=0)
        except NotFound as error:
            raise RequestError("The documentation has no such page.", 404) from error
