"""Hidden first line of a comment or an issue, by which Tilescope finds it again.

A post is found by listing and reading markers. A search is no alternative: its index is late, and
a message that is sent again would be posted twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace

_FORM = re.compile(
    r"<!-- tilescope ([a-z_]{1,20}) ([0-9a-f]{32}) ([0-9TZ:.+-]{0,40}) ([0-9TZ:.+-]{1,40})"
    r"(?: ([0-9a-f]{12}))? -->"
)
"""Marker: purpose, key, time of the run, time of the status, id of the installation."""


@dataclass(frozen=True)
class Marker:
    """Identity of a post, and the times that decide which of two messages is newer.

    `seen_at` is the time when the run of the post was ingested, `at` the time of the status (ISO
    8601, UTC). `site` is the id of the installation, "" in posts of older versions.
    """

    purpose: str
    key: str
    seen_at: str
    at: str
    site: str = ""

    def __str__(self) -> str:
        """Format the marker as an HTML comment, which both servers hide."""
        site = f" {self.site}" if self.site else ""
        return f"<!-- tilescope {self.purpose} {self.key} {self.seen_at} {self.at}{site} -->"

    def is_same_post(self, other: Marker | None) -> bool:
        """Whether another marker belongs to the same post of this installation, with whatever
        times.
        """
        return other is not None and self._identity() == other._identity()

    def may_adopt(self, other: Marker | None) -> bool:
        """Whether another marker belongs to the same post, but names no installation."""
        return other is not None and replace(self, site="").is_same_post(other)

    def _identity(self) -> tuple[str, str, str]:
        return self.purpose, self.key, self.site

    def is_newer_than(self, other: Marker) -> bool:
        """Whether this marker's message is newer; of two runs the later ingested run is newer, of
        two messages about a run the later status.
        """
        # A run is judged again if its base changes: an older run must not replace a newer run then.
        return (self.seen_at, self.at) > (other.seen_at, other.at)


def post_key(*parts: str) -> str:
    """Return 32 hex digits that identify a post by these parts, such as rule and series."""
    text = json.dumps(parts).encode("utf-8", "replace")
    return hashlib.sha256(text).hexdigest()[:32]


def read_marker(body: str | None) -> Marker | None:
    """Read the marker in the first line of a post; `None` if the post has none.

    A marker further below was quoted by a person.
    """
    found = _FORM.match(body or "")
    return Marker(*found.groups(default="")) if found else None
