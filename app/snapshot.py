"""Runs as one HTML file that works offline."""

from __future__ import annotations

from storage.repository import Repository


def snapshot_html(repository: Repository, run_ids: list[str], query: str) -> str:
    """Return the file."""
    raise NotImplementedError
