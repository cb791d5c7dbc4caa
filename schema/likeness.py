"""The key of a run: runs with an equal key measure the same work, so their numbers are comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

KEY = ("source", "hwid", "M", "K", "N", "rows", "cols", "tags")
"""Names of the columns of frame `run` that make up the key."""
PROBLEM_TAG = "problem-"
"""Prefix of the tag that the reader of problems adds.

The tag changes when the problem changes, so it is not part of the key.
"""


def run_key(run: Mapping[str, object]) -> dict[str, str]:
    """Compute the key of a run from its row of frame `run`: a dict with the columns of KEY and
    their values as text. A missing column has the text `None`; tags are sorted, without the tag of
    a problem.
    """
    tags = [tag for tag in str(run.get("tags") or "").split() if not tag.startswith(PROBLEM_TAG)]
    # The order of tags is not part of the key.
    return {name: str(run.get(name)) for name in KEY} | {"tags": " ".join(sorted(tags))}


def likeness(key: Mapping[str, str]) -> str:
    """Hash a key to a text of 32 hex digits; equal keys have equal hashes.

    A column of KEY that is missing counts as "".
    """
    text = json.dumps([key.get(name, "") for name in KEY])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
