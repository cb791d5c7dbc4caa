"""Serve scripts, styles and pictures at addresses with a hash, which browsers cache for a year."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import brotli
from dash import Dash
from dash.fingerprint import check_fingerprint
from flask import Response, request

from app.config.assets import PLOTLY

_FIRST_SCRIPT = PLOTLY.with_name("regenerator-runtime.js")
"""Script at the begin of `tilescope.js`, before the project's own scripts."""
_YEAR_S = 31_536_000
_DIGEST = 12
"""Characters of the content's SHA-256 in an address."""
_CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda content: brotli.compress(content, quality=5),
    "gzip": lambda content: gzip.compress(content, 6, mtime=0),
}
"""Compression functions by coding, preferred coding first.

Slower settings save less than a tenth of the size and take ten times as long for the first visitor.
"""


class StaticFile:
    """A file in memory; each compressed form is computed at its first request."""

    def __init__(self, content: bytes, name: str) -> None:
        self.digest = hashlib.sha256(content).hexdigest()[:_DIGEST]
        self._mimetype = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self._coded = {"": content}
        self._lock = threading.Lock()

    def respond(self, *, lasting: bool) -> Response:
        """Build the response to the current request, compressed as the client accepts; 304 if the
        client has the content.

        If `lasting`, the address changes with the content, and browsers may cache it for a year.
        """
        coding = request.accept_encodings.best_match(_CODINGS, default="")
        response = Response(self._compress(coding), mimetype=self._mimetype)
        if coding:
            response.content_encoding = coding
        response.vary.add("Accept-Encoding")
        response.headers["Cache-Control"] = (
            f"public, max-age={_YEAR_S}, immutable" if lasting else "no-cache"
        )
        response.set_etag(f"{self.digest}{coding}")
        response.make_conditional(request)
        return response

    def _compress(self, coding: str) -> bytes:
        # Compressed once, also when many browsers request the file at the same time.
        with self._lock:
            if coding not in self._coded:
                self._coded[coding] = _CODINGS[coding](self._coded[""])
            return self._coded[coding]


def serve_assets(app: Dash, folder: Path) -> dict[str, str]:
    """Serve the project's own files; return their addresses by name.

    The names are `tilescope.js`, `tilescope.css`, `perfetto.js`, the plotly bundle and the
    pictures.
    """
    files = {
        "tilescope.js": _join_files([_FIRST_SCRIPT, *sorted(folder.glob("*.js"))]),
        "tilescope.css": _join_files(sorted(folder.glob("*.css"))),
        "perfetto.js": _join_files(sorted((folder / "perfetto").glob("*.js"))),
        **{path.name: path.read_bytes() for path in (PLOTLY, *sorted(folder.glob("*.svg")))},
    }
    return {name: _serve(app, name, StaticFile(content, name)) for name, content in files.items()}


@cache
def early_script(folder: Path) -> str:
    """Return the text of the inline script that runs before any other script is loaded, joined from
    the files in `early`.
    """
    return _join_files(sorted((folder / "early").glob("*.js"))).decode()


def cache_suites(app: Dash) -> None:
    """Replace the view of the files of Dash and its component packages: each script and style is
    read and compressed when it is first requested.
    """
    rules = app.server.url_map.iter_rules()
    endpoint = next(rule.endpoint for rule in rules if "_dash-component-suites/" in rule.rule)
    app.server.view_functions[endpoint] = _cache_files(app.server.view_functions[endpoint])


def _cache_files(serve: Callable[[str, str], Response]) -> Callable[[str, str], Response]:
    files: dict[tuple[str, str], StaticFile] = {}

    def view(package_name: str, fingerprinted_path: str) -> Response:
        path, fingerprinted = check_fingerprint(fingerprinted_path)
        if (package_name, path) not in files:
            served = serve(package_name, fingerprinted_path)
            if served.status_code != 200 or PurePosixPath(path).suffix not in {".js", ".css"}:
                return served
            files[package_name, path] = StaticFile(served.get_data(), path)
        return files[package_name, path].respond(lasting=fingerprinted)

    return view


def _serve(app: Dash, name: str, file: StaticFile) -> str:
    """Add a route for a file and return its address, which contains a hash of the content.

    An address with the hash of another release returns the current content, which browsers must
    then revalidate.
    """
    stem = PurePosixPath(name).stem
    suffix = PurePosixPath(name).suffix
    folder = f"{app.config.routes_pathname_prefix}{app.config.assets_url_path}"
    rule = f"{folder}/{stem}.<string(length={_DIGEST}):digest>"

    def view(digest: str) -> Response:
        return file.respond(lasting=digest == file.digest)

    app.server.add_url_rule(f"{rule}{suffix}", f"asset_{name}", view)
    address: str = app.get_asset_url(f"{stem}.{file.digest}{suffix}")
    return address


def _join_files(paths: Iterable[Path]) -> bytes:
    return b"\n".join(path.read_bytes() for path in paths)
