"""`GET /graph/<run_id>.<json|dot|txt>?context=..&step=..&match=..` is the compiler's graph after a match, as a file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import BinaryIO

from flask import Flask, Response, request

from app.context import AppContext
from app.errors import RequestError
from app.server.downloads import Downloads
from services.graph_export import GRAPH_FILES, graph_text
from storage.repository import RunNotFound

_TYPES: Mapping[str, str] = MappingProxyType(
    {"json": "application/json", "dot": "text/vnd.graphviz", "text": "text/plain"}
)
"""Format of a graph -> media type."""
_MOST = 10**9


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the route."""

    @server.get("/graph/<run_id>.<fmt>")
    def graph(run_id: str, fmt: str) -> Response:
        if fmt not in GRAPH_FILES:
            raise RequestError(f"There is no format {fmt[:20]} of a graph; there are {', '.join(GRAPH_FILES)}.", 404)
        form = GRAPH_FILES[fmt]
        place = _number("context", None), _number("step", None), _number("match", "0")

        def write(stream: BinaryIO) -> str:
            try:
                run = context.repository.resolve(run_id)
                stream.write(graph_text(context.compilers.get(run).program, *place, form).encode())
            except (RunNotFound, ValueError) as error:
                raise RequestError(str(error), 404) from error
            return f"{run[:12]}-graph-{'-'.join(map(str, place))}.{fmt}"

        return downloads.answer(write, _TYPES[form])


def _number(name: str, default: str | None) -> int:
    text = request.args.get(name, default)
    if text is None or not text.isascii() or not text.isdigit() or len(text) > len(str(_MOST)):
        raise RequestError(f"A graph needs {name} as a whole number: ?context=0&step=0&match=0", 400)
    return int(text)
