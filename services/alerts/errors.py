"""What can go wrong with alerts; every message is one sentence for a person, and has no secret."""

from __future__ import annotations


class AlertError(Exception):
    """An alert cannot be as asked."""


class SendError(Exception):
    """A message was not delivered."""
