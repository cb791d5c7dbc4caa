"""Which runs are alike, so that a number of one says something about the same number of another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

KEY = ("source", "hwid", "M", "K", "N", "rows", "cols", "tags")
"""What runs that are alike have in common."""
PROBLEM_TAG = "problem-"
"""Begins the tag that the reader of problems gives; it changes with the problem, and so is none of the key."""


def key_of(run: Mapping[str, object]) -> dict[str, str]:
    """Return the key of a run of frame `run`, as text by name."""
    tags = [tag for tag in str(run.get("tags") or "").split() if not tag.startswith(PROBLEM_TAG)]
    return {name: str(run.get(name)) for name in KEY} | {"tags": " ".join(sorted(tags))}


def likeness(key: Mapping[str, str]) -> str:
    """Return a hash that keys share which are equal, 32 hex digits."""
    text = json.dumps([key.get(name, "") for name in KEY])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
