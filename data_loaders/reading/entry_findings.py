"""Findings about a file of trace entries: the file was cut, entries were skipped."""

from __future__ import annotations

from collections import Counter

from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MAX_KINDS = 20
"""Number of kinds of skipped entries that get a finding of their own."""


def cut_findings(cut_at: int | None, total: int, file: str) -> list[Diagnostic]:
    """Return a list with the warning that the file ends at byte `cut_at`, after `total` whole
    entries.

    The list is empty if `cut_at` is `None`, which means that the file is complete.
    """
    if cut_at is None:
        return []
    text = f"the file ends inside the trace: the {plural(total, 'whole entry')} before the cut were read"
    return [Diagnostic("warning", "file_cut", text, f"{file}, byte {cut_at}")]


def skipped_findings(bad: Counter[str], file: str) -> list[Diagnostic]:
    """Make a warning per kind of skipped entries, the most frequent kind first.

    `bad` counts the entries by kind. Kinds after the 20 most frequent share the last warning; empty
    without skipped entries.
    """
    kinds = bad.most_common(_MAX_KINDS)
    rest = bad.total() - sum(count for _, count in kinds)
    return [
        Diagnostic(
            "warning", "entries_skipped", f"{plural(count, 'entry')} skipped: {kind}", file, count
        )
        for kind, count in [*kinds, *([("of other kinds", rest)] if rest else [])]
    ]
