"""Where a compiler's time goes."""

import pandas as pd

from analysis.program.compile_time import (
    compile_time,
    merge_ranges,
    ranges_by_name,
    rules_by_place,
    steps_by_name,
)


def ranges(*rows):
    """Return ranges of rows (name, start, end), in the order of `compiler_ranges`."""
    frame = pd.DataFrame(rows, columns=["name", "start", "end"])
    return frame.sort_values(["start", "end"], ascending=[True, False], ignore_index=True)


def test_own_time_is_what_ranges_inside_leave():
    found = merge_ranges(
        ranges(("outer", 0, 100), ("inner", 10, 40), ("leaf", 20, 30), ("inner", 50, 60))
    )
    named = ranges_by_name(found).set_index("name")
    assert named.loc[["outer", "inner", "leaf"], ["count", "total", "own"]].to_numpy().tolist() == [
        [1, 100, 60],
        [2, 40, 30],
        [1, 10, 10],
    ]
    assert found.tree["parent"].tolist() == [-1, 0, 1]
    assert found.tree["depth"].tolist() == [0, 1, 2]


def test_ranges_of_one_name_in_other_places_are_others_and_count_together_by_name():
    found = merge_ranges(ranges(("a", 0, 10), ("x", 2, 5), ("b", 10, 40), ("x", 12, 32)))
    assert found.tree[["name", "start"]].to_numpy().tolist() == [
        ["a", 30],
        ["x", 30],
        ["b", 0],
        ["x", 0],
    ]
    assert ranges_by_name(found).set_index("name").loc["x", ["count", "total", "own"]].tolist() == [
        2,
        23,
        23,
    ]
    assert merge_ranges(ranges()).tree.empty


def test_a_range_inside_of_one_of_its_name_counts_its_own_time_once():
    named = ranges_by_name(merge_ranges(ranges(("a", 0, 10), ("a", 2, 8))))
    assert named[["count", "total", "own"]].to_numpy().tolist() == [[2, 16, 10]]


def test_steps_and_rules_are_summed_over_contexts_the_longest_first():
    steps = pd.DataFrame(
        {
            "context": [0, 0, 1],
            "step": [0, 1, 0],
            "name": ["a", "b", "b"],
            "matches": [1, 0, 2],
            "duration": [5, 0, 9],
        }
    )
    assert steps_by_name(steps).to_numpy().tolist() == [["b", 2, 2, 2, 9], ["a", 1, 1, 1, 5]]
    matches = pd.DataFrame(
        {
            **{"context": [0, 1, 1], "step": [0, 0, 0], "match": [1, 1, 2], "duration": [5, 2, 7]},
            **{
                "file": pd.Categorical(["x.py", "", "x.py"]),
                "line": pd.array([3, None, 3], "Int64"),
            },
        }
    )
    rules = rules_by_place(matches)
    assert rules[
        ["file", "matches", "duration", "context", "match", "slowest"]
    ].to_numpy().tolist() == [["x.py", 2, 12, 1, 2, 7], ["", 1, 2, 1, 1, 2]]
    assert rules["line"].isna().tolist() == [False, True]


NESTED = pd.DataFrame(
    [(0, 0, 100), (0, 1, 60), (0, 2, 10), (0, 2, 20), (0, 1, 30), (0, 0, 7), (1, 2, 5), (1, 0, 3)],
    columns=["context", "depth", "duration"],
).assign(name="rewrite", step=range(8), matches=1)


def test_the_time_of_a_compile_is_at_most_that_of_its_outermost_steps():
    contexts = NESTED.groupby("context")["duration"].sum().rename("duration").reset_index()
    none = pd.DataFrame(
        columns=["context", "step", "match", "file", "line", "duration", "track", "kind"]
    )
    events = pd.DataFrame(columns=["track", "name", "start", "end"])
    found = compile_time(
        {
            "rewrite_steps": NESTED,
            "rewrite_matches": none,
            "contexts": contexts.assign(name="made"),
            "tracks": none,
            "events": events,
        }
    )
    outermost = NESTED.loc[NESTED["depth"] == 0, "duration"].sum()
    # The step of depth 2 that begins context 1 is inside of the other context.
    assert found.elapsed == outermost == found.own.sum()
    assert found.total == NESTED["duration"].sum() > found.elapsed
