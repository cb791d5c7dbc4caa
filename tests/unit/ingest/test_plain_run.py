"""Runs whose files have names that are no text: what loaders repeat of a name in frames is cleaned as well."""

import os
from pathlib import Path

import pandas as pd
import pytest

from data_loaders.protocol import LoadedRun
from ingest.plain_run import plain_run
from schema.frames import conform

ODD = os.fsdecode(b"caf\xe9")


@pytest.fixture
def loaded():
    rows = {
        "track": [f"{ODD}.csv", "plain"],
        "lane": "a",
        "name": "b",
        "start": [0, 1],
        "end": [2, 3],
        "opened": True,
    }
    events = conform("events", pd.DataFrame(rows | {"closed": True}))
    return LoadedRun({"name": ODD, "M": 4}, {"events": events})


def test_names_of_files_in_frames_become_text_and_the_rest_stays(loaded):
    run = plain_run(loaded, [Path(ODD)])
    assert (run.metadata["name"], run.metadata["M"]) == ("caf?", 4)
    frame = run.frames["events"]
    assert [*frame["track"]] == ["caf?.csv", "plain"]
    assert [*map(str, frame.dtypes)] == [*map(str, loaded.frames["events"].dtypes)]
    assert [*frame["start"]] == [0, 1]


def test_frames_are_not_looked_through_where_names_are_text(loaded):
    assert plain_run(loaded, [Path("plain.csv")]).frames is loaded.frames
