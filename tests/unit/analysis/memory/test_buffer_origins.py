"""Where the buffers of a profile come from."""

import pandas as pd
import pytest

from analysis.memory.buffer_origins import buffer_origins
from schema.frames import complete, empty

SCHEDULES = ("Schedule 1 Kernel n1", "E_4", "Schedule 3 Kernels n2")


def frames(allocated, ranges, schedules=()):
    """Return frames of buffers allocated at times, of ranges (track, name, start, end), of (context, start)."""
    kinds = {"USER": "user", "TINY": "compiler", "CPU": "device"}
    tracks = complete(
        "tracks",
        {
            "track": pd.Categorical(list(kinds)),
            "kind": pd.Categorical(list(kinds.values())),
            "last": 1000,
        },
    )
    track, name, start, end = zip(*ranges, strict=True)
    events = complete(
        "events",
        {
            "track": pd.Categorical(track),
            "lane": pd.Categorical(track),
            "name": pd.Categorical(name),
        }
        | {"start": start, "end": end},
    )
    count = len(allocated)
    blocks = {
        "attempt": [0] * count,
        "block": range(count),
        "name": "b",
        "size": 4,
        "start": allocated,
        "end": 1000,
    }
    contexts = complete(
        "contexts", {"context": [0, 1, 2], "name": SCHEDULES, "stack": [0, 1, 2], "steps": 1}
    )
    of = [context for context, _ in schedules]
    begins = [at for _, at in schedules]
    links = {
        "track": pd.Categorical(["TINY"] * len(of)),
        "start": begins,
        "end": begins,
        "context": of,
    }
    calls = {
        "stack": [0, 1, 2],
        "depth": 0,
        "file": pd.Categorical(["/a.py", "/b.py", "/c.py"]),
        "line": [1, 2, 3],
    }
    return {
        "allocations": complete("allocations", blocks),
        "tracks": tracks,
        "events": events,
        "contexts": contexts,
        "event_links": complete("event_links", links) if of else empty("event_links"),
        "calls": complete("calls", calls),
    }


def test_the_innermost_range_of_methods_and_compiler_is_taken():
    ranges = [
        ("USER", "realize", 10, 100),
        ("TINY", "compile", 20, 60),
        ("USER", "item", 30, 40),
        ("CPU", "k", 0, 999),
    ]
    found = buffer_origins(frames([5, 15, 25, 35, 50, 70, 200], ranges))
    words = ["realize", "compile", "item", "compile", "realize"]
    assert found["range"].tolist()[1:6] == words
    assert found["range"].isna().tolist() == [True, *[False] * 5, True]
    assert found["allocation"].tolist() == list(range(7))


def test_ranges_that_overlap_without_nesting_are_told_apart():
    found = buffer_origins(
        frames([25, 45], [("USER", "first", 10, 30), ("TINY", "second", 20, 50)])
    )
    assert found["range"].tolist() == ["second", "second"]
    found = buffer_origins(frames([35], [("USER", "first", 10, 40), ("TINY", "second", 20, 30)]))
    assert found["range"].tolist() == ["first"]


def test_the_place_is_that_of_the_schedule_that_began_last():
    found = buffer_origins(
        frames([5, 15, 25, 40], [("USER", "realize", 0, 99)], [(0, 10), (1, 20), (2, 30)])
    )
    assert found["context"].astype(object).where(found["context"].notna(), None).tolist() == [
        None,
        0,
        0,
        2,
    ]
    assert found["file"].astype(object).where(found["file"].notna(), None).tolist() == [
        None,
        "/a.py",
        "/a.py",
        "/c.py",
    ]
    assert found["line"].tolist()[1:] == [1, 1, 3]


@pytest.mark.parametrize("name", ["event_links", "contexts", "calls"])
def test_captures_without_contexts_or_stacks_have_ranges_alone(name):
    known = frames([25], [("USER", "realize", 0, 99)], [(0, 10)])
    known[name] = empty(name)
    found = buffer_origins(known)
    assert found["range"].tolist() == ["realize"]
    assert found["file"].isna().all()
