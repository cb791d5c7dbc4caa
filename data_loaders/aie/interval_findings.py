"""Findings about intervals that the capture lost the begin or the end of."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_loaders.aie.pairing import Intervals
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MAX_NAMED = 4
"""Number of open events that the finding names."""


def interval_findings(intervals: Intervals, events: pd.DataFrame) -> list[Diagnostic]:
    """Make a finding that counts ends without a begin, and a finding that counts events open at the
    end and names the 4 longest.

    `events` is the frame of the same intervals, in the same order. Empty if all intervals are
    whole.
    """
    findings = []
    orphans = int((~intervals.opened).sum())
    unclosed = np.flatnonzero(~intervals.closed)
    if orphans:
        text = f"{plural(orphans, 'end')} without a begin: shown as marks with duration 0"
        findings.append(Diagnostic("info", "orphan_ends", text, "", orphans))
    if len(unclosed):
        # All units end with the capture, so the event that began first is open the longest.
        order = np.argsort(intervals.start[unclosed], kind="stable")[:_MAX_NAMED]
        named = events.iloc[unclosed[order]]
        longest = [f"{row.lane} of {row.track} since {row.start}" for row in named.itertuples()]
        more = f" and {len(unclosed) - len(longest)} more" if len(unclosed) > len(longest) else ""
        text = (
            f"{plural(len(unclosed), 'event')} still open when the capture ended ({', '.join(longest)}{more}): "
            "they last to the end of their unit"
        )
        where = ", ".join(dict.fromkeys(named["track"].astype(str)))
        findings.append(Diagnostic("info", "open_at_end", text, where, len(unclosed)))
    return findings
