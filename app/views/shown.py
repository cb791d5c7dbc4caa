"""The state of a displayed page, which its store sends back with the request for the next drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.views.reads import Reads

_THEMES = ("light", "dark")


@dataclass(frozen=True)
class Shown:
    """The state of a displayed page: content version, theme, and for each piece the fields that it
    read, its key, and the version of the other runs that it shows.
    """

    version: str = ""
    theme: str = ""
    reads: Mapping[str, Reads] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    other_runs: Mapping[str, str] = field(default_factory=dict)

    def to_store(self) -> dict[str, Any]:
        """Return the record as JSON for the page's store: `version`, `theme`, `reads`, `keys`,
        `other_runs`.
        """
        return {
            "version": self.version,
            "theme": self.theme,
            "reads": dict(self.reads),
            "keys": dict(self.keys),
            "other_runs": dict(self.other_runs),
        }

    @classmethod
    def of(cls, stored: object, version: str, theme: str | None) -> Shown:
        """Parse the JSON of the page's store; an empty record if the version or the theme changed
        or the JSON is invalid.

        If `theme` is neither "light" nor "dark", the theme in the store is used, or "light".
        """
        fields = stored if isinstance(stored, dict) else {}
        if theme not in _THEMES:
            theme = "dark" if fields.get("theme") == "dark" else "light"
        if (fields.get("version"), fields.get("theme")) != (version, theme):
            return cls(version, theme)
        reads = fields.get("reads")
        keys = fields.get("keys")
        other_runs = fields.get("other_runs")
        return cls(
            version,
            theme,
            reads if isinstance(reads, dict) else {},
            keys if isinstance(keys, dict) else {},
            other_runs if isinstance(other_runs, dict) else {},
        )
