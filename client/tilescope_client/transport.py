"""HTTP requests to a server, with retries after temporary failures."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import IO, Any

from tilescope_client.form import Form

ROOT = "/api/v1"
"""Prefix of the API's paths."""
TRIES = 8
"""Default number of tries of a request."""
_MAX_WAIT_S = 60
"""Maximum seconds to wait between two tries if the server sends Retry-After."""
_MAX_PAUSE_S = 8
"""Maximum seconds between tries without Retry-After; eight tries take half a minute."""
_BUSY = (429, 502, 503, 504)
"""Status codes of temporary failures."""
_KNOCK_S = 20
"""Seconds in which a running server is expected to accept a connection."""


class ApiError(Exception):
    """The server refused a request; the message is one line.

    `status` is the HTTP status, `problem` the body of the response (problem+json).
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(
            f"{status}: {problem.get('detail') or problem.get('title') or 'no reason given'}"
        )
        self.status = status
        self.problem = problem


class Unreachable(Exception):
    """The server gave no response, or was busy during all tries; the message is one line."""


class Response:
    """Status, headers and body of a response."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        """The body, parsed as JSON."""
        return json.loads(self.body)


class Transport:
    """A server's address, and the token that is sent to it."""

    def __init__(self, url: str, token: str, timeout_s: float, tries: int) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._tries = tries

    def knock(self) -> None:
        """Raise Unreachable if no server accepts a connection within 20 to 40 s.

        The timeout of other requests is much longer, because a request may take long.
        """
        until = time.monotonic() + _KNOCK_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=_KNOCK_S):
                    return
            # A refusal is a response too: the server is running.
            except urllib.error.HTTPError:
                return
            except (OSError, ValueError) as error:
                if time.monotonic() + 1 > until:
                    raise Unreachable(self._failure(error)) from error
            time.sleep(1)

    def send(self, method: str, path: str, content: Mapping[str, Any]) -> Response:
        """Send a request with a JSON body and return the response.

        Raises ApiError or Unreachable.
        """
        return self.ask(
            method, path, json.dumps(content).encode(), {"Content-Type": "application/json"}
        )

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Form | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send a request and return the response; raises ApiError or Unreachable.

        Temporary failures are retried; a `Form` is read again for each try.
        """
        head = {"Accept": "application/json, */*", **(headers or {})}
        if self._token:
            head["Authorization"] = f"Bearer {self._token}"
        reason = ""
        for tried in range(self._tries):
            # When a request is repeated, a form must be read again from its beginning.
            content: bytes | IO[bytes] | Iterator[bytes] | None
            content = body.pieces() if isinstance(body, Form) else body
            wait_s = min(2.0**tried / 2, _MAX_PAUSE_S)
            try:
                request = urllib.request.Request(
                    self.url + ROOT + path, content, head, method=method
                )
                with urllib.request.urlopen(request, timeout=self._timeout_s) as response:
                    return Response(response.status, response.headers, response.read())
            except urllib.error.HTTPError as error:
                problem = _problem(error)
                if error.code not in _BUSY:
                    raise ApiError(error.code, problem) from error
                reason = f"the server returned {ApiError(error.code, problem)}"
                wait_s = _seconds(error.headers.get("Retry-After"), wait_s)
            except ValueError as error:  # the address is not valid
                raise Unreachable(self._failure(error)) from error
            except OSError as error:
                reason = self._failure(error)
            if tried + 1 < self._tries:
                time.sleep(wait_s)
        raise Unreachable(" ".join(reason.split()))

    def _failure(self, error: Exception) -> str:
        return f"{self.url} cannot be reached: {getattr(error, 'reason', None) or error}"


def _seconds(text: str | None, otherwise: float) -> float:
    try:
        # Retry-After may also be a date, for which `float` raises ValueError.
        return min(max(float(text or ""), 0.1), _MAX_WAIT_S)
    except ValueError:
        return otherwise


def _problem(error: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        problem = json.loads(error.read())
    except (OSError, ValueError):
        problem = None
    return problem if isinstance(problem, dict) else {"title": error.reason}
