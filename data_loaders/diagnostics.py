"""Findings: what a loader or an analysis skipped, repaired or doubts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pandas as pd

from data_loaders.frames import conform, empty

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True)
class Diagnostic:
    """One finding: severity (error, warning, info), stable code, sentence, place and how often."""

    severity: str
    code: str
    message: str
    location: str = ""
    count: int = 1


def diagnostics_frame(findings: Iterable[Diagnostic]) -> pd.DataFrame:
    """Return the findings as a `diagnostics` frame, worst first."""
    rows = [asdict(f) for f in findings]
    if not rows:
        return empty("diagnostics")
    frame = pd.DataFrame(rows)
    frame["severity"] = pd.Categorical(frame["severity"], categories=SEVERITIES)
    return conform("diagnostics", frame.sort_values("severity", kind="stable", ignore_index=True))
