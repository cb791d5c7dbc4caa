"""Limits on simultaneous expensive requests, in a process and per client."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from flask import request

from app.request.errors import RequestError


class Shares:
    """Places for expensive requests: `at_once` in this process, `per_client` for each address.

    A request without a free place is refused immediately; `what` names the work in the refusal.
    """

    def __init__(self, what: str, at_once: int, per_client: int, retry_after_s: int) -> None:
        self._what = what
        self._at_once = at_once
        self._per_client = per_client
        self._retry_after_s = retry_after_s
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Context that holds a place for the client of the request.

        Raises RequestError (429) immediately if the client has its maximum or all places are taken.
        """
        release = self.take()
        try:
            yield
        finally:
            release()

    def take(self) -> Callable[[], None]:
        """Take a place for the client of the request; return the function that frees it.

        Raises RequestError (429) if the client has its maximum or all places are taken.
        """
        client = request.remote_addr or ""
        with self._lock:
            if self._taken[client] >= self._per_client:
                self._refuse("for you")
            if self._taken.total() >= self._at_once:
                self._refuse("for others")
            self._taken[client] += 1
        return partial(self._give_back, client)

    def _refuse(self, whom: str) -> None:
        sentence = (
            f"The server is busy with {self._what} {whom}; try again in {self._retry_after_s} s."
        )
        raise RequestError(sentence, 429, retry_after_s=self._retry_after_s)

    def _give_back(self, client: str) -> None:
        with self._lock:
            self._taken[client] -= 1
            # Otherwise the counter would keep every address that ever had a place.
            if not self._taken[client]:
                del self._taken[client]
