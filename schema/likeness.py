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

_MISSING_TEXTS = frozenset({"None", "nan", "NaN", "<NA>", "NaT"})
"""Texts of the values that stand for a missing number: None, NaN, and pandas' NA and NaT."""


def run_key(run: Mapping[str, object]) -> dict[str, str]:
    """Compute the key of a run from its row of frame `run`: a dict with the columns of KEY and
    their values as text. A missing value, also NaN or pandas' NA, has the text `None`, and 64.0 is
    `64`, as a frame with missing sizes has floats. Tags are sorted, without the tag of a problem.
    """
    tags = [tag for tag in _tags_text(run).split() if not tag.startswith(PROBLEM_TAG)]
    # The order of tags is not part of the key.
    return {name: _key_text(run.get(name)) for name in KEY} | {"tags": " ".join(sorted(tags))}


def _tags_text(run: Mapping[str, object]) -> str:
    tags = run.get("tags")
    return tags if isinstance(tags, str) else ""


def _key_text(value: object) -> str:
    if isinstance(value, str):
        return value
    # Compared as text: this module is imported where pandas is not, and NA has no truth value.
    if str(value) in _MISSING_TEXTS:
        return "None"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def likeness(key: Mapping[str, str]) -> str:
    """Hash a key to a text of 32 hex digits; equal keys have equal hashes.

    A column of KEY that is missing counts as "".
    """
    text = json.dumps([key.get(name, "") for name in KEY])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
