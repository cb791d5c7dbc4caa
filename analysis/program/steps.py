"""Rewrite steps of a run in the form that a replay needs."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from analysis.program.nodes import NONE
from analysis.program.replay import Step
from schema.frames import Frames

Place = tuple[int, int]
"""Context, and rank of a step in it."""


class Steps:
    """Steps of frames `rewrite_steps` and `rewrite_matches`; pairs of matches are nodes of
    `graph_nodes`.
    """

    def __init__(self, frames: Frames) -> None:
        self._frames = frames

    @cached_property
    def _rows(self) -> dict[Place, int]:
        """Map (context, rank of a step) to its row of frame `rewrite_steps`."""
        steps = self._frames["rewrite_steps"]
        pairs = zip(steps["context"].tolist(), steps["step"].tolist(), strict=True)
        return {pair: row for row, pair in enumerate(pairs)}

    @cached_property
    def _spans(self) -> dict[Place, tuple[int, int]]:
        """Map (context, rank of a step) to the range [first, end) of rows of its matches in frame
        `rewrite_matches`; a step without matches is missing.
        """
        matches = self._frames["rewrite_matches"]
        counts = matches.groupby(["context", "step"], sort=False).size()
        ends = counts.cumsum()
        return {
            pair: (end - count, end)
            for pair, count, end in zip(counts.index, counts, ends, strict=True)
        }

    def row(self, place: Place) -> pd.Series | None:
        """Return the row of frame `rewrite_steps` for a step (context, rank); `None` if there is no
        such step.
        """
        row = self._rows.get(place)
        return None if row is None else self._frames["rewrite_steps"].iloc[row]

    def matches(self, place: Place) -> pd.DataFrame:
        """Return the rows of frame `rewrite_matches` for a step (context, rank), in order; empty if
        there is no such step.
        """
        begin, end = self._spans.get(place, (0, 0))
        return self._frames["rewrite_matches"].iloc[begin:end]

    def step(self, place: Place) -> Step:
        """Build the replayable record of a step (context, rank) that has a graph.

        Raises KeyError if it does not exist, ValueError if its rows are damaged.
        """
        row = self._frames["rewrite_steps"].iloc[self._rows[place]]
        matches = self.matches(place)
        before, after = (
            matches[name].fillna(NONE).astype("int64").tolist() for name in ("before", "after")
        )
        named = [int(row["root"]), *before, *after]
        count = len(self._frames["graph_nodes"])
        if len(matches) != row["matches"] or min(named) < NONE or max(named) >= count:
            raise ValueError(
                f"the stored matches of step {place[1]} of context {place[0]} are damaged"
            )
        flags = {
            name: bool(row[name]) for name in ("walk", "enter_calls") if not pd.isna(row[name])
        }
        return Step(
            root=int(row["root"]),
            pairs=list(zip(before, after, strict=True)),
            bottom_up=bool(row["bottom_up"]),
            # The viewer of 0.13 ignores both flags of its captures, so its graphs do not follow
            # them.
            walk=flags.get("walk", False) and row["rules"] == "0.14",
            enter_calls=flags.get("enter_calls", False) and row["rules"] == "0.14",
            release=str(row["rules"]),
        )
