"""Join the drawing of a page's own pieces and that of its pieces with other runs.

Each has a cache entry of its own: an ingest changes the other runs, but hardly ever the page's run.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from app.server.cached_response import CachedResponse, pack_body, read_body

_PARTS = ("reads", "keys", "other_runs")
"""Members of the state of the displayed page that have an entry per piece."""


def join_drawings(
    changes: str, shown: object, own: CachedResponse, others: CachedResponse
) -> CachedResponse:
    """Join the responses of the callback that sets the store `changes`, for a page whose displayed
    state is `shown`. Status 204 if nothing changes. If one response is no drawing, such as that of
    a refused request, it is returned unchanged. If the drawings are of two versions of the run, the
    joined state has no version, so that the next request draws the page again.
    """
    drawings = [_read_drawing(changes, response) for response in (own, others)]
    for response, drawing in zip((own, others), drawings, strict=True):
        if drawing is None:
            return response
    first, second = (drawing for drawing in drawings if drawing is not None)
    joined = {
        "changes": first["changes"] | second["changes"],
        "shown": first["shown"]
        | {name: first["shown"][name] | second["shown"][name] for name in _PARTS},
    }
    is_cacheable = own.is_cacheable and others.is_cacheable
    # The run was read again between the two, or one of them is cached: its pieces are of the old run.
    if first["shown"]["version"] != second["shown"]["version"]:
        joined["shown"]["version"] = ""
        is_cacheable = False
    if not joined["changes"] and joined["shown"] == shown:
        return CachedResponse(pack_body(b""), 204, is_cacheable)
    body = {"multi": True, "response": {changes: {"data": joined}}}
    text = json.dumps(body, separators=(",", ":")).encode()
    return replace(own, body=pack_body(text), is_cacheable=is_cacheable)


def shown_state(body: dict[str, Any], store: str) -> object:
    """Return the state of the displayed page in the body of a callback's request; None if it has
    none. `store` is the id of its store.
    """
    return next((part.get("value") for part in body.get("state", []) if _is_of(part, store)), None)


def without_other_runs(body: dict[str, Any], store: str) -> dict[str, Any]:
    """Return the body of a callback's request without the other runs that the displayed page shows."""
    state = [
        part | {"value": part["value"] | {"other_runs": {}}}
        if _is_of(part, store) and isinstance(part.get("value"), dict)
        else part
        for part in body.get("state", [])
    ]
    return body | {"state": state}


def _is_of(part: object, store: str) -> bool:
    return isinstance(part, dict) and part.get("id") == store


def _read_drawing(changes: str, response: CachedResponse) -> dict[str, Any] | None:
    """Return the changes and the displayed state of a drawing; None if the response is none."""
    if response.status != 200:
        return None
    body = json.loads(read_body(response))
    drawing = body["response"].get(changes, {}).get("data")
    return drawing if isinstance(drawing, dict) else None
