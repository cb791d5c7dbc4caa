"""Compare two readings of the same content, so that a poorer reading never replaces a better reading.

The content of a run is the same, but what is read along with it may be poorer: another design, a
companion that is damaged or missing. A reading is better, in this order,

1. if its companions explain more of the content (fewer findings of `UNEXPLAINED`, by their counts),
2. if it has more frames with rows, stored and derived,
3. if it has more kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ingest.summary import Summary
from schema.diagnostics import Diagnostic
from storage.stored_run import StoredRun

UNEXPLAINED = frozenset(
    {
        "companion_foreign",
        "companion_unreadable",
        "config_missing",
        "lifetimes_unknown",
        "module_of_another_chip",
        "profile_missing",
        "profile_unreadable",
        "rewrites_missing",
        "rewrites_unread",
    }
)
"""Codes of findings that say that companions do not explain the content, or a part of it."""

Quality = tuple[int, int, int]
"""Quality of a reading; larger is better."""


def stored_quality(stored: StoredRun) -> Quality:
    """Return the quality of a stored run: minus the count of unexplained findings, frames with
    rows, kernels.

    Larger is better.
    """
    codes = ((str(finding.get("code")), finding.get("count")) for finding in stored.findings)
    return _quality(codes, stored.frames | stored.derived)


def new_quality(
    rows: Mapping[str, int], diagnostics: Iterable[Diagnostic], summary: Summary
) -> Quality:
    """Return the quality of a reading with these rows per frame, a tuple as of `stored_quality`."""
    return _quality(
        ((finding.code, finding.count) for finding in diagnostics), {**rows, **summary.derived}
    )


def _quality(findings: Iterable[tuple[str, object]], rows: Mapping[str, int]) -> Quality:
    unexplained = sum(
        count if isinstance(count, int) else 1 for code, count in findings if code in UNEXPLAINED
    )
    # The frame of findings would count a reading as better because more is wrong with it.
    filled = sum(count > 0 for name, count in rows.items() if name != "diagnostics")
    return -unexplained, filled, rows.get("kernels", 0)


def poorer_finding(stored: StoredRun, companions: str) -> Diagnostic:
    """Return the warning of an ingest that keeps the stored reading.

    `companions` has the names of the new companions, "" without.
    """
    beside = f"beside {companions}" if companions else "without companions"
    before = str(stored.run.get("companions") or "")
    text = (
        f"read {beside}, these contents give less data than the stored run, which was read "
        f"{f'with {before}' if before else 'without companions'} and was not changed; delete the run to replace it"
    )
    return Diagnostic("warning", "poorer_reading", text)
