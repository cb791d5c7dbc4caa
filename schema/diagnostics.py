"""Findings of a loader or an analysis about skipped, repaired or doubtful data."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from schema.arrays import category
from schema.finding import Diagnostic, occurrences
from schema.frames import build_frame, empty

__all__ = [
    "SEVERITIES",
    "Diagnostic",
    "diagnostics_frame",
    "findings_of",
    "joined_findings",
    "occurrences",
    "places_of",
]

SEVERITIES = ("error", "warning", "info")
_REST = re.compile(r" and (\d{1,9} more)$", re.ASCII)


def places_of(location: str) -> tuple[list[str], str]:
    """Split the location of a finding into the list of its places and the words for further places.

    `core 2,1, core 3,1 and 2 more` gives ([`core 2,1`, `core 3,1`], `2 more`). The second value is
    "" if no further places are counted; "" gives ([], "").
    """
    rest = _REST.search(location)
    named = location[: rest.start()] if rest else location
    # A comma without a space is part of a place: core 2,1.
    return [place for place in named.split(", ") if place], rest[1] if rest else ""


def joined_findings(*frames: pd.DataFrame) -> pd.DataFrame:
    """Concatenate several `diagnostics` frames, ordered from error to info; findings of equal
    severity keep their order. Without frames the result has no rows.
    """
    return _frame([finding for frame in frames for finding in findings_of(frame)])


def diagnostics_frame(findings: Iterable[Diagnostic]) -> pd.DataFrame:
    """Build a `diagnostics` frame with a row per finding, ordered from error to info; findings of
    equal severity keep their order. It has no rows if there are no findings.
    """
    rows = list(findings)
    return _frame(rows) if rows else empty("diagnostics")


def findings_of(frame: pd.DataFrame) -> list[Diagnostic]:
    """Convert the rows of a `diagnostics` frame to findings, in the frame's order; [] if it has no
    rows.
    """
    columns = [
        frame[name].to_numpy(object).tolist()
        for name in ("severity", "code", "message", "location", "count")
    ]
    return [Diagnostic(*row) for row in zip(*columns, strict=True)]


def _frame(findings: list[Diagnostic]) -> pd.DataFrame:
    rank = {severity: code for code, severity in enumerate(SEVERITIES)}
    # The sort is stable: findings of one severity keep the order in which they were found.
    ordered = sorted(findings, key=lambda finding: rank.get(finding.severity, len(rank)))
    columns: dict[str, object] = {
        name: [getattr(finding, name) for finding in ordered]
        for name in ("code", "message", "location", "count")
    }
    codes = np.array([rank.get(finding.severity, -1) for finding in ordered], np.int8)
    return build_frame("diagnostics", columns | {"severity": category(codes, SEVERITIES)})
