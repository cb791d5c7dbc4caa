"""Facts of a results file besides its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from schema.diagnostics import Diagnostic
from schema.run_settings import SettingError, moment

_COUNTER = re.compile(r"\A[0-9]{4}_")
_DATE = re.compile(r"[_-]?[0-9]{8}[_T-]?[0-9]{6}Z?")
_COMMIT = re.compile(r"[_-]?\b[0-9a-f]{40}\b|[_-][0-9a-f]{40}(?=[_-]|\Z)|\A[0-9a-f]{40}(?=[_-]|\Z)")
_DIRTY = ("_uncommited-changes", "_uncommitted-changes", "_unversioned")
"""Last words of pytest-benchmark's file names; older versions spell the first so."""


@dataclass
class FileFacts:
    """Facts that a file tells about its run: columns of frame `run`, and findings.

    `tool` names runs whose file has no name of its own.
    """

    tool: str
    metadata: dict[str, object] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def set_moment(self, text: str) -> None:
        """Set the date of the run; a text that is not a date is unknown."""
        try:
            taken_at = moment(text)
        except SettingError:
            return
        if taken_at:
            self.metadata["taken_at"] = taken_at

    def set_texts(self, texts: Mapping[str, str]) -> None:
        """Set the columns with texts that are not empty, at most 200 characters each."""
        self.metadata |= {
            name: text.strip()[:_MAX_TEXT] for name, text in texts.items() if text.strip()
        }


_MAX_TEXT = 200


def series_stem(stem: str, tool: str) -> str:
    """Return the part of a file's stem that all runs of a series share: without counter, commit and
    date, which tools put into names of files; the tool's name if no other part is left.
    """
    shared = stem
    for word in _DIRTY:
        shared = shared.removesuffix(word)
    shared = _COUNTER.sub("", shared, count=1)
    shared = _COMMIT.sub("", _DATE.sub("", shared))
    return shared.strip("_- ") or tool
