"""Errors of alerts; every message is a sentence for the user without secrets."""

from __future__ import annotations


class AlertError(Exception):
    """An alert is invalid."""


class SendError(Exception):
    """A message was not delivered."""
