"""Kernels as events of the timeline, on tracks that have no events of their own."""

import pandas as pd

from analysis.timeline.executed import with_executions
from schema.frames import complete, empty


def kernels(*rows):
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(("track", "name", "start", "end"))
    }
    ranks = {
        "kernel": range(len(rows)),
        "duration": None,
        "kept": True,
        "copy": False,
        "batched": False,
    }
    return complete(
        "kernels",
        columns
        | {
            name: pd.Series([*value]) if name == "kernel" else value
            for name, value in ranks.items()
        },
    )


def events(*rows):
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(("track", "name", "start", "end"))
    }
    return complete("events", columns | {"lane": columns["track"], "opened": True, "closed": True})


def test_kernels_of_other_tracks_are_events_in_order():
    found = with_executions(
        events(("user", "a", 0, 9)), kernels(("gpu", "k", 5, 6), ("gpu", "j", 1, 2))
    )
    assert found[["track", "name", "start", "end"]].to_numpy().tolist() == [
        ["gpu", "j", 1, 2],
        ["gpu", "k", 5, 6],
        ["user", "a", 0, 9],
    ]


def test_a_track_with_events_has_its_kernels_among_them_already():
    own = events(("gpu", "k", 5, 6))
    assert with_executions(own, kernels(("gpu", "k", 5, 6))) is own


def test_kernels_without_times_are_left_out():
    assert with_executions(empty("events"), kernels(("gpu", "k", None, 6))).empty
