"""Findings about data that the numbers of a run do not cover: a part of the file is missing, was
not read, or has impossible times.
"""

from __future__ import annotations

import pandas as pd

from schema.diagnostics import findings_of
from schema.finding import Diagnostic

INCOMPLETE = frozenset(
    {
        "attempts_unfinished",
        "commands_skipped",
        "compression_damaged",
        "design_cut",
        "design_skipped",
        "device_empty",
        "early_executions",
        "entries_far",
        "entries_skipped",
        "events_skipped",
        "file_cut",
        "lines_skipped",
        "lines_unreadable",
        "module_cut",
        "nodes_overrun",
        "numbers_saturated",
        "numbers_too_large",
        "other_lines_unreadable",
        "overruns",
        "plot_damaged",
        "profile_cut",
        "profile_full",
        "profile_unreadable",
        "rows_after_blank",
        "rows_skipped",
        "slices_unread",
        "table_cut",
        "time_lost",
        "trace_incomplete",
        "trace_overrun",
        "traces_skipped",
        "values_ignored",
    }
)
"""Codes of these findings. A finding about data that a view replaces or marks is none of them."""

POSSIBLY = frozenset({"trace_overrun"})
"""Codes of findings that say that data may be missing."""


def incomplete_findings(diagnostics: pd.DataFrame) -> list[Diagnostic]:
    """List the findings of a `diagnostics` frame about missing data, in the frame's order."""
    chosen = diagnostics[diagnostics["code"].isin(INCOMPLETE).to_numpy(bool)]
    return findings_of(chosen) if len(chosen) else []
