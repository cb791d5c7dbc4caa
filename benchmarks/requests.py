"""Send the HTTP requests that a browser sends on pages of Tilescope, without a browser."""

from __future__ import annotations

import gzip
import http.client
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from components.runs.list_address import LIST_PATH

# The server refuses POST requests without a sign that they come from its own pages.
_HEADERS = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "same-origin"}
_CALLBACKS = "/_dash-update-component"
_VIEW, _RUN, _SHOWN = "run-view.data", "run-id.data", "run-shown.data"
_RUNS_VIEW = "runs-view.data"
_LIST = ("runs-grid.rowData", "runs-grid.columnDefs", "runs-scatter.figure")
"""Outputs of the callbacks that run when the state of the list of runs changes."""


class Browser:
    """The connection of a user.

    `source` is the local address that it connects from. `request_count` is the number of requests;
    `changed` has the components that the last drawing of a run's page changed.
    """

    def __init__(
        self, address: str, headers: Mapping[str, str] = MappingProxyType({}), source: str = ""
    ) -> None:
        self._headers = {**_HEADERS, **headers}
        # For port 0 the system chooses a free port.
        comes_from = (source, 0) if source else None
        self._connection = http.client.HTTPConnection(
            urlsplit(address).netloc, timeout=120, source_address=comes_from
        )
        self._etags: dict[str, str] = {}
        self._run = ""
        self._query = ""
        self._shown: object = None
        self.changed: dict[str, Any] = {}
        self.request_count = 0
        self._callbacks: list[dict[str, Any]] = json.loads(self._get("/_dash-dependencies"))

    def open_list(self) -> None:
        """Open the list of runs with its plot."""
        self._open(LIST_PATH, "")
        self._callback("runs-scatter.figure", {_RUNS_VIEW: "", "theme.data": "light"})

    def filter_list(self, query: str) -> None:
        """Request the list of runs with another filter."""
        for output in _LIST:
            self._callback(
                output, {_RUNS_VIEW: query, "theme.data": "light", "runs-grid.columnDefs": []}
            )

    def open_run(self, run_id: str, query: str = "") -> None:
        """Open a run's page, and send the request with which the page first draws its views."""
        page = self._open(f"/run/{run_id}", f"?{query}" if query else "")
        self._run = run_id
        self._query = query
        self._shown = _store(page["_pages_content"]["children"], "run-shown")
        self._draw()

    def open_comparison(self, base: str, new: str) -> None:
        """Open the page that compares two runs and send its first request."""
        query = f"base={base}&new={new}"
        page = self._open("/compare", f"?{query}")
        shown = _store(page["_pages_content"]["children"], "compare-shown")
        values = {
            "compare-view.data": query,
            "theme.data": "light",
            "compare-id.data": "",
            "compare-shown.data": shown,
        }
        self._callback("compare-changes.data", values)

    def select(self, query: str) -> None:
        """Select something: request the next view state, then the drawing of that state."""
        key = {"run-key.data": {"key": "j"}, _VIEW: self._query, _RUN: self._run}
        self._callback("run-view.data", key, "run-key.data")
        self._query = query
        self._draw()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _open(self, path: str, search: str) -> dict[str, Any]:
        self._get(path)
        # Dash's renderer requests both whenever a page is loaded.
        for again in ("/_dash-layout", "/_dash-dependencies"):
            self._get(again)
        place = {"_pages_location.pathname": path, "_pages_location.search": search}
        return self._callback("_pages_content.children", place)

    def _draw(self) -> None:
        values = {_VIEW: self._query, "theme.data": "light", _RUN: self._run, _SHOWN: self._shown}
        drawn = self._callback("run-changes.data", values)
        data: dict[str, Any] = drawn["run-changes"]["data"] if drawn else {}
        self.changed = data.get("changes", {})
        self._shown = data.get("shown", self._shown)

    def _callback(
        self, output: str, values: Mapping[str, Any], input_name: str = ""
    ) -> dict[str, Any]:
        """Run the callback that has output `output` and, if several have it, input `input_name`."""
        response = self._send(
            "POST",
            _CALLBACKS,
            json.dumps(callback_body(self._callbacks, output, values, input_name)),
        )
        return dict(json.loads(response)["response"]) if response else {}

    def _get(self, path: str) -> bytes:
        return self._send("GET", path)

    def _send(self, method: str, path: str, body: str | None = None) -> bytes:
        """Send a request and return the body; raises RuntimeError for an unexpected status."""
        headers = dict(self._headers)
        if body:
            headers["Content-Type"] = "application/json"
        if path in self._etags:
            headers["If-None-Match"] = self._etags[path]
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        data = response.read()
        # 204: the callback changes nothing. 304: the browser's copy is still valid.
        if response.status not in (200, 204, 304):
            raise RuntimeError(f"{method} {path} answers {response.status}: {data[:200]!r}")
        if method == "GET" and response.getheader("ETag"):
            self._etags[path] = str(response.getheader("ETag"))
        self.request_count += 1
        return gzip.decompress(data) if response.getheader("Content-Encoding") == "gzip" else data


def callback_body(
    callbacks: Sequence[Mapping[str, Any]],
    output: str,
    values: Mapping[str, Any],
    input_name: str = "",
) -> dict[str, Any]:
    """Return the body with which a browser runs a callback.

    It is the server's callback with output `output` and, if several have it, with input
    `input_name`.
    """
    candidates = [
        callback
        for callback in callbacks
        if output in callback["output"] and not callback["clientside_function"]
    ]
    callback = next(
        candidate
        for candidate in candidates
        if not input_name or input_name in map(_name, candidate["inputs"])
    )
    # Dash writes several outputs as `..a.x...b.y..` and a single output without dots.
    outputs = [_output(part) for part in callback["output"].strip(".").split("...")]
    return {
        "output": callback["output"],
        "outputs": outputs if callback["output"].startswith("..") else outputs[0],
        "inputs": [_given_value(part, values) for part in callback["inputs"]],
        "state": [_given_value(part, values) for part in callback["state"]],
        "changedPropIds": [],
    }


def _store(component: object, store_id: str) -> object:
    """Find the data of a store in a page's layout, None if the layout does not contain it."""
    if isinstance(component, list):
        stores = (_store(part, store_id) for part in component)
        return next((data for data in stores if data is not None), None)
    if not isinstance(component, dict):
        return None
    props = component.get("props", {})
    return (
        props.get("data")
        if props.get("id") == store_id
        else _store(props.get("children"), store_id)
    )


def _name(part: Mapping[str, str]) -> str:
    return f"{part['id']}.{part['property']}"


def _output(text: str) -> object:
    name, _, prop = text.rpartition(".")
    # Dash appends `@` and a hash to an output that several callbacks have.
    return [] if name.startswith("{") else {"id": name, "property": prop.partition("@")[0]}


def _given_value(part: Mapping[str, str], values: Mapping[str, Any]) -> object:
    if part["id"].startswith("{"):
        return []
    return {"id": part["id"], "property": part["property"], "value": values.get(_name(part))}
