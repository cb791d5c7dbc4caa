"""Findings about a file of trace entries: the file was cut, entries were skipped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from data_loaders.reading.json_damage import text_of
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MAX_KINDS = 20
"""Number of kinds of skipped entries that get a finding of their own."""


def cut_findings(cut_at: int | None, total: int, path: Path) -> list[Diagnostic]:
    """Return a list with the warning that the file ends at byte `cut_at`, after `total` whole
    entries.

    The list is empty if `cut_at` is `None`, which means that the file is complete. Bytes of a gzip
    file are counted in the uncompressed text, which the finding states.
    """
    if cut_at is None:
        return []
    entries = plural(total, "whole entry")
    place = f"at byte {cut_at}{text_of(path)}"
    text = f"the JSON ends {place}, inside the trace: {entries} before the cut read"
    return [Diagnostic("warning", "file_cut", text, f"{path.name}, byte {cut_at}")]


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
