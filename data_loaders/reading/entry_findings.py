"""Findings about a file of trace entries: where it was cut, and what was skipped."""

from __future__ import annotations

from collections import Counter

from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MOST_KINDS = 20


def cut_findings(cut_at: int | None, total: int, file: str) -> list[Diagnostic]:
    """Return that a file ends at a byte inside its entries, of which `total` whole ones were read."""
    if cut_at is None:
        return []
    text = f"the file ends inside the trace: the {total} whole entries before the cut were read"
    return [Diagnostic("warning", "file_cut", text, f"{file}, byte {cut_at}")]


def skipped_findings(bad: Counter[str], file: str) -> list[Diagnostic]:
    """Return a finding for each kind of entry that was skipped, the most frequent first."""
    kinds = bad.most_common(_MOST_KINDS)
    others = bad.total() - sum(count for _, count in kinds)
    return [
        Diagnostic("warning", "entries_skipped", f"{plural(count, 'entry')} skipped: {kind}", file, count)
        for kind, count in [*kinds, *([("of other kinds", others)] if others else [])]
    ]
