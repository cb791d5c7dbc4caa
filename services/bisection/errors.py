"""Errors of bisections."""

from __future__ import annotations


class BisectionError(ValueError):
    """A bisection cannot be made as requested; the message is a sentence for the user."""


class NoBisectionError(BisectionError):
    """There is no bisection with an id."""
