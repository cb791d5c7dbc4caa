"""Levels without an end last as long as their track."""

import pandas as pd

from analysis.timeline.open_levels import hold_open_levels


def events(*rows):
    """Return the columns that matter of rows (track, start, end, opened, closed)."""
    frame = pd.DataFrame(rows, columns=["track", "start", "end", "opened", "closed"])
    return frame.astype({"track": "category", "opened": bool, "closed": bool})


TRACKS = pd.DataFrame({"track": pd.Categorical(["a", "b"]), "last": [500, 40]})


def test_only_open_levels_are_held_and_never_shortened():
    given = events(
        ("a", 1, 20, True, False),
        ("a", 1, 20, True, True),
        ("a", 9, 9, False, True),
        ("b", 2, 60, True, False),
        ("c", 3, 30, True, False),
    )
    assert hold_open_levels(given, TRACKS)["end"].tolist() == [500, 20, 9, 60, 30]
    assert given["end"].tolist() == [20, 20, 9, 60, 30]


def test_without_open_levels_the_frame_is_the_same():
    given = events(("a", 1, 20, True, True))
    assert hold_open_levels(given, TRACKS) is given
    assert len(hold_open_levels(events(), TRACKS)) == 0
