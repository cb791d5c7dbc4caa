"""Requests to a server, tried again where they fail for a moment."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import IO, Any

from tilescope_client.form import Form

ROOT = "/api/v1"
TRIES, LONGEST_WAIT_S = 8, 60
_LONGEST_PAUSE_S = 8
"""Between tries where the server does not say how long; eight of them take half a minute."""
_BUSY = (429, 502, 503, 504)
_KNOCK_S = 20
"""Seconds in which a server that is there says so."""


class ApiError(Exception):
    """The server refuses; `status` and `problem` are those of its answer. The message is one line."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title') or 'no reason was given'}")
        self.status, self.problem = status, problem


class Unreachable(Exception):
    """The server does not answer, or is busy for longer than one waits. The message is one line."""


class Answer:
    """Status, headers and body of an answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        """Return what the body says."""
        return json.loads(self.body)


class Transport:
    """A server by its address, and the token that is sent to it."""

    def __init__(self, url: str, token: str, timeout_s: float, tries: int) -> None:
        self.url, self._token, self._timeout_s, self._tries = url.rstrip("/"), token, timeout_s, tries

    def knock(self) -> None:
        """Raise Unreachable where no server answers within half a minute: a request may take longer than that."""
        until = time.monotonic() + _KNOCK_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=_KNOCK_S):
                    return
            except urllib.error.HTTPError:
                return
            except (OSError, ValueError) as error:
                if time.monotonic() + 1 > until:
                    raise Unreachable(self._failure(error)) from error
            time.sleep(1)

    def send(self, method: str, path: str, content: Mapping[str, Any]) -> Answer:
        """Return the answer to a request with JSON; raises ApiError, Unreachable."""
        return self.ask(method, path, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def ask(
        self, method: str, path: str, body: bytes | Form | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Return an answer; raises ApiError, Unreachable."""
        head = {"Accept": "application/json, */*", **(headers or {})}
        head.update({"Authorization": f"Bearer {self._token}"} if self._token else {})
        reason = ""
        for tried in range(self._tries):
            content: bytes | IO[bytes] | Iterator[bytes] | None = body.pieces() if isinstance(body, Form) else body
            wait_s = min(2.0**tried / 2, _LONGEST_PAUSE_S)
            try:
                request = urllib.request.Request(self.url + ROOT + path, content, head, method=method)
                with urllib.request.urlopen(request, timeout=self._timeout_s) as found:
                    return Answer(found.status, found.headers, found.read())
            except urllib.error.HTTPError as error:
                problem = _problem(error)
                if error.code not in _BUSY:
                    raise ApiError(error.code, problem) from error
                reason = f"the server answers {ApiError(error.code, problem)}"
                wait_s = _seconds(error.headers.get("Retry-After"), wait_s)
            except ValueError as error:  # of an address that is none
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
        return min(max(float(text or ""), 0.1), LONGEST_WAIT_S)
    except ValueError:
        return otherwise


def _problem(error: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        found = json.loads(error.read())
    except (OSError, ValueError):
        found = None
    return found if isinstance(found, dict) else {"title": error.reason}
