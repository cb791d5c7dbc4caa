"""Rows of frame `device_times`, with the names of devices, in words, for the plot and the grid of devices."""

from __future__ import annotations

import pandas as pd

from components.numbers import count_text

_REASONS = {"warm_up": "warm-up", "tail": "tail"}
"""Reason why a step does not count -> label."""


def window_labels(rows: pd.DataFrame) -> list[str]:
    """Write the window of each row: name of the step, `3 counted steps`, `all executions`.

    `all executions` reaches from the begin of the first execution to the end of the last. A step
    that does not count has the reason behind its name. If the rows are of several devices, each
    label begins with its device.
    """
    has_several = rows["device"].nunique() > 1
    labels = []
    for row in rows.to_dict("records"):
        device = f"{row['device']} · " if has_several else ""
        labels.append(f"{device}{_window(row)}")
    return labels


def _window(row: dict[str, object]) -> str:
    if row["window"] == "counted":
        return count_text(int(str(row["steps"])), "counted step")
    if row["window"] == "whole":
        return "all executions"
    reason = _REASONS.get(str(row["left_out"]), "")
    return f"{row['name']} ({reason})" if reason else str(row["name"])
