"""Findings: what a loader or an analysis skipped, repaired or doubts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pandas as pd

from schema.frames import conform, empty
from schema.plurals import plural

SEVERITIES = ("error", "warning", "info")
_REST = re.compile(r" and (\d{1,9} more)$", re.ASCII)


@dataclass(frozen=True)
class Diagnostic:
    """One finding: severity (error, warning, info), stable code, sentence, place and how often."""

    severity: str
    code: str
    message: str
    location: str = ""
    count: int = 1


def occurrences(severity: str, code: str, count: int, noun: str, what: str) -> list[Diagnostic]:
    """Return the finding `COUNT NOUNS WHAT`; none where there are none."""
    return [Diagnostic(severity, code, f"{plural(count, noun)} {what}", count=count)] if count else []


def places_of(location: str) -> tuple[list[str], str]:
    """Return the places that a finding's location names, and `3 more` where it leaves some out, else "".

    Places are parted by a comma and a space: `core 2,1, core 3,1 and 2 more`.
    """
    rest = _REST.search(location)
    named = location[: rest.start()] if rest else location
    return [place for place in named.split(", ") if place], rest[1] if rest else ""


def joined_findings(*frames: pd.DataFrame) -> pd.DataFrame:
    """Return several frames `diagnostics` as one, worst first."""
    both = pd.concat([frame.astype({"severity": "str"}) for frame in frames], ignore_index=True)
    both["severity"] = pd.Categorical(both["severity"], categories=SEVERITIES)
    return conform("diagnostics", both.sort_values("severity", kind="stable", ignore_index=True))


def diagnostics_frame(findings: Iterable[Diagnostic]) -> pd.DataFrame:
    """Return the findings as a `diagnostics` frame, worst first."""
    rows = [asdict(f) for f in findings]
    if not rows:
        return empty("diagnostics")
    frame = pd.DataFrame(rows)
    frame["severity"] = pd.Categorical(frame["severity"], categories=SEVERITIES)
    return conform("diagnostics", frame.sort_values("severity", kind="stable", ignore_index=True))
