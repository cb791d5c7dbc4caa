"""Checks of a run that any loader returns: frames of the schema, findings, and memory maps.

Each check raises AssertionError if the run breaks the contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from data_loaders.protocol import LoadedRun
from schema.diagnostics import SEVERITIES, Diagnostic
from schema.frames import FRAMES, conform
from schema.memory import ATTEMPTS
from schema.runs import RUN

BY_THE_INGEST = {
    "run_id",
    "source",
    "file",
    "sha256",
    "created_at",
    "companions",
    "companions_sha256",
    "reader",
}
"""Columns of frame `run` that the ingest fills, and a loader must not."""


def check_run(run: LoadedRun) -> None:
    """Check a loaded run against the contract of loaders: metadata, frames of the schema, events,
    findings and memory maps.

    The run's file is not read. Raises AssertionError if the run breaks the contract.
    """
    assert set(run.metadata) <= set(RUN.names) - BY_THE_INGEST
    assert run.frames
    assert not {"run", "diagnostics"} & set(run.frames)
    for name, frame in run.frames.items():
        pd.testing.assert_frame_equal(conform(name, frame), frame)
        assert "loader" in FRAMES[name].origin
        assert not [
            c.name
            for c in FRAMES[name].required_columns(set(frame))
            if not c.nullable and frame[c.name].isna().any()
        ]
    check_words(run.frames)
    if "events" in run.frames:
        check_events(run.frames["events"])
    check_findings(run.diagnostics)
    assert ("attempts" in run.frames) == ("allocations" in run.frames)
    if "attempts" in run.frames:
        check_memory(run.frames)


def check_events(events: pd.DataFrame) -> None:
    """Check that frame `events` is sorted by track, lane and start, and that no interval ends
    before it begins.

    The rows of a lane must be contiguous. Raises AssertionError.
    """
    assert (events["end"] >= events["start"]).all(), "an interval ends before it begins"
    lane = events["track"].astype(str) + "\0" + events["lane"].astype(str)
    begins = lane.ne(lane.shift())
    # A lane that other events interrupt begins more often than there are lanes.
    assert begins.sum() == lane.nunique(), "events are not sorted by track and lane"
    assert (begins | (events["start"].diff() >= 0)).all(), (
        "events of a lane are not sorted by their start"
    )


def check_words(frames: Mapping[str, pd.DataFrame]) -> None:
    """Check that columns with a fixed set of words contain no other words; nulls are allowed.

    Raises AssertionError with the name of the column.
    """
    for name, frame in frames.items():
        for column in FRAMES[name].required_columns(set(frame)):
            words = {*column.words, ""} if column.nullable else {*column.words}
            assert not column.words or {*frame[column.name].dropna()} <= words, column.name


def check_findings(findings: Sequence[Diagnostic]) -> None:
    """Check that findings have a known severity, an alphanumeric code, a message, and a count of at
    least 1.

    Raises AssertionError.
    """
    for finding in findings:
        assert isinstance(finding, Diagnostic)
        assert finding.severity in SEVERITIES
        assert finding.code.replace("_", "").isalnum()
        assert finding.message
        assert finding.count >= 1


def check_memory(frames: Mapping[str, pd.DataFrame]) -> None:
    """Check the frames of memory maps, and that `buffer_uses` refers to existing blocks; raises
    AssertionError.
    """
    check_attempts(frames["attempts"])
    check_blocks(frames["allocations"], frames["attempts"])
    if "steps" in frames:
        check_steps(frames["steps"], frames["attempts"])
    if "buffer_uses" in frames:
        blocks = pd.MultiIndex.from_frame(frames["allocations"][["attempt", "block"]])
        assert (
            pd.MultiIndex.from_frame(frames["buffer_uses"][["attempt", "block"]]).isin(blocks).all()
        )


def check_attempts(attempts: pd.DataFrame) -> None:
    """Check frame `attempts`: numbers count from 0, sizes are positive, and the columns that the
    analysis fills are null.

    Raises AssertionError.
    """
    assert attempts["attempt"].tolist() == list(range(len(attempts)))
    for column in ("steps", "capacity", "banks", "bank_bytes", "align_bytes"):
        assert (attempts[column].dropna() > 0).all(), column
    assert (attempts["static_bytes"] >= 0).all()
    for column in ATTEMPTS.names[ATTEMPTS.names.index("blocks") :]:
        assert attempts[column].isna().all(), column


def check_blocks(blocks: pd.DataFrame, attempts: pd.DataFrame) -> None:
    """Check frame `allocations`.

    Blocks are sorted, unique and part of an attempt. Placed blocks have an address; failed and
    unplaced blocks have none. Lifetimes are not empty, and aliases refer to blocks of the same
    attempt. Raises AssertionError.
    """
    ranks = pd.MultiIndex.from_frame(blocks[["attempt", "block"]])
    assert ranks.is_monotonic_increasing
    assert ranks.is_unique
    assert blocks["attempt"].isin(attempts["attempt"]).all()
    assert (blocks["size"] >= 0).all()
    assert (blocks["address"].dropna() >= 0).all()
    assert blocks.loc[blocks["status"] == "placed", "address"].notna().all()
    assert blocks.loc[blocks["status"].isin(["failed", "unplaced"]), "address"].isna().all()
    assert (blocks["start"] >= 0).all()
    # Blocks that wrap or hold are also alive after `end`, which may be before `start`.
    assert ((blocks["end"] > blocks["start"]) | blocks["wraps"] | blocks["hold"]).all()
    assert (blocks["end"] > 0).all()
    aliases = blocks[blocks["alias_of"].notna()]
    assert (aliases["alias_of"] != aliases["block"]).all()
    assert pd.MultiIndex.from_frame(aliases[["attempt", "alias_of"]]).isin(ranks).all()


def check_steps(steps: pd.DataFrame, attempts: pd.DataFrame) -> None:
    """Check frame `steps`: steps are unique, and sorted by attempt and step.

    Steps without an attempt, which apply to all attempts, come first. Slack is the cycles of layers
    minus the cycles of transfers. Raises AssertionError.
    """
    # -1 sorts the steps of all attempts before the steps of attempt 0.
    keys = pd.MultiIndex.from_arrays([steps["attempt"].fillna(-1), steps["step"]])
    assert keys.is_monotonic_increasing
    assert keys.is_unique
    assert (steps["step"] >= 0).all()
    assert steps["attempt"].dropna().isin(attempts["attempt"]).all()
    assert (steps["slack"] == steps["layer_cycles"] - steps["gdma_cycles"]).dropna().all()
