"""Errors of alerts; every message is a sentence for the user without secrets."""

from __future__ import annotations


class AlertError(Exception):
    """An alert is invalid."""


class SendError(Exception):
    """A message was not delivered."""


class RateLimitError(SendError):
    """A server accepts no further requests for `wait_s` seconds."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s
