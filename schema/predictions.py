"""Frames with the predictions of a performance model for a run."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

TERMS = ("compute", "wait", "period", "total")
"""Terms of a prediction in the order of a table."""

PREDICTIONS = FrameSpec(
    "predictions",
    "a term that a performance model predicted before the run",
    LOADED,
    columns(
        "term | category(compute wait period total) | | compute: a kernel; wait: for locks per kernel; period: "
        "between kernel starts; total: the whole call",
        "predicted | float64 | cycles | what the model predicted",
        "predicted_from | str | | name of the value in the model's file",
        "file | str | | the model's file",
    ),
)

PLANNED_EVENTS = FrameSpec(
    "planned_events",
    "an event of the planned schedule",
    LOADED,
    columns(
        "resource | str | | the core or link, as the model names it",
        "name | str | | what it does there",
        "category | str? | | computation or transfer",
        "start | float64 | cycles | planned begin, from the begin of the plan",
        "end | float64 | cycles | planned end",
    ),
)

PREDICTION_FRAMES = (PREDICTIONS, PLANNED_EVENTS)
