"""JSON requests to the API of a code host: errors as sentences, lists page by page."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from services.alerts.addresses import parse_target
from services.alerts.code_hosts.rate_limits import wait_seconds
from services.alerts.errors import AlertError, RateLimitError, SendError
from services.alerts.guarded_http import Response, request

MAX_PAGES = 20
"""Maximum number of pages of a list."""
PAGE_SIZE = 100
"""Items of a page, the maximum of both servers."""
_MAX_BYTES = 32 << 20
"""Maximum bytes of a response: 100 issues with 65,536 characters each, escaped."""
_MAX_MESSAGE = 200
"""Maximum characters of a server's message in an error."""
_REASONS = {
    301: "it was renamed or moved",
    307: "it was renamed or moved",
    308: "it was renamed or moved",
    401: "the token is wrong or has expired",
    403: "the token lacks a permission, or the repository is archived",
    404: "the repository does not exist, or the token must not see it",
    410: "issues are disabled there, or the post was deleted",
}
"""What a status usually means."""


class StatusError(SendError):
    """A server refused a request with `status`; `reply` is its message."""

    def __init__(self, message: str, status: int, reply: str) -> None:
        super().__init__(message)
        self.status = status
        self.reply = reply


@dataclass(frozen=True)
class ApiRequests:
    """Requests to the API at `base`, all within the time until `until` (of `time.monotonic`).

    `headers` contain the token; `repository` is only named in errors.
    """

    base: str
    hosts: str
    repository: str
    timeout_s: float
    until: float
    headers: Mapping[str, str] = field(repr=False)

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Read JSON; raises as `send` does."""
        return self._json(self._request("GET", path, None))

    def send(self, method: str, path: str, content: Mapping[str, object]) -> Any:  # noqa: ANN401
        """Send JSON and return the JSON of the response.

        Raises StatusError if the server refuses, RateLimitError, and SendError if there is no valid
        response.
        """
        return self._json(self._request(method, path, content))

    def items(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the items of a list page by page, at most MAX_PAGES (20) pages of PAGE_SIZE (100).

        Raises SendError at the end of the last permitted page if the list continues: an item that
        is not read would seem to be missing, and would be posted twice.
        """
        for page in range(1, MAX_PAGES + 1):
            numbered = {**query, "per_page": str(PAGE_SIZE), "page": str(page)}
            response = self._request("GET", f"{path}?{urlencode(numbered)}", None)
            found = self._json(response)
            if not isinstance(found, list):
                raise SendError(f"{self._name()} did not return a list")
            yield from (item for item in found if isinstance(item, dict))
            # The address of the next page is not followed, since it could lead to another host. A
            # proxy can drop the header: a full page is then taken as a sign of another page.
            has_next = 'rel="next"' in response.headers.get("link", "")
            if not has_next and len(found) < PAGE_SIZE:
                return
        raise SendError(f"{self._name()} has a list of more than {MAX_PAGES * PAGE_SIZE} items")

    def _request(self, method: str, path: str, content: Mapping[str, object] | None) -> Response:
        try:
            target = parse_target(f"{self.base.rstrip('/')}{path}", self.hosts)
        except AlertError as error:
            raise SendError(str(error)) from error
        left = self.until - time.monotonic()
        if left <= 0:
            raise SendError(f"{target.place} took too long for all requests of a message")
        body = b"" if content is None else json.dumps(content).encode()
        response = request(
            method,
            target,
            self.hosts,
            body=body,
            headers=self.headers,
            timeout_s=min(left, self.timeout_s),
            max_bytes=_MAX_BYTES,
        )
        if not 200 <= response.status < 300:
            raise self._refusal(response, target.place)
        return response

    def _refusal(self, response: Response, place: str) -> SendError:
        reply = _reply(response.body)
        wait_s = wait_seconds(response, reply)
        if wait_s is not None:
            return RateLimitError(f"{place} accepts no further request for {wait_s:.0f} s", wait_s)
        reason = _REASONS.get(response.status, "")
        words = f"{place} returned status {response.status} for {self.repository}"
        return StatusError(f"{words}: {reason}" if reason else words, response.status, reply)

    def _json(self, response: Response) -> Any:  # noqa: ANN401
        try:
            return json.loads(response.body)
        # RecursionError: nested lists of a hostile server
        except (ValueError, RecursionError) as error:
            raise SendError(f"{self._name()} did not return JSON") from error

    def _name(self) -> str:
        return f"the API for {self.repository}"


def _reply(body: bytes) -> str:
    """Return a server's message to recognise it; it is not shown, since it could repeat a secret."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    text = message.get("message", "") if isinstance(message, dict) else ""
    return str(text)[:_MAX_MESSAGE]
