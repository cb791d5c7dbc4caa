"""Markers of the profiler's steps, of each rank of a merged file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.kineto.frames import Trace
from schema.frames import complete
from schema.torch_profiler import ANNOTATION, OPERATOR, STEP_NAME, rank_name


def profiler_steps(trace: Trace) -> pd.DataFrame:
    """List the profiler's steps on the host: rank (position in `rank_labels`), number, name, start
    and end (ns), sorted by rank and start; no rows without steps.

    The first span of a number of a rank counts. In a merged file the name begins with the rank,
    since ranks number their steps alike: `[TP01] ProfilerStep#3`.
    """
    matches = [STEP_NAME.fullmatch(name) for name in trace.names]
    numbers = np.array([int(match[1]) if match else -1 for match in matches], np.int64)
    places = trace.places(frozenset({ANNOTATION, OPERATOR}))
    places = places[numbers[trace.spans.name[places]] >= 0]
    name = trace.spans.name[places]
    rank = trace.span_ranks(places)
    named = zip(rank.tolist(), name.tolist(), strict=True)
    steps = pd.DataFrame(
        {
            "rank": rank,
            "number": numbers[name],
            "name": [rank_name(trace.rank_labels[at], trace.names[code]) for at, code in named],
            "start": trace.spans.start[places],
            "end": trace.end[places],
        }
    )
    ordered = steps.sort_values(["rank", "start"], kind="stable")
    return ordered.drop_duplicates(["rank", "number"], ignore_index=True)


def markers_frame(steps: pd.DataFrame, rank_labels: Sequence[str]) -> pd.DataFrame:
    """Build frame `markers`: for each rank a row for the begin of each step, and one for the end of
    its last step; no rows without steps.
    """
    names: list[str] = []
    start: list[int] = []
    end: list[int | None] = []
    ranks: list[str | None] = []
    for rank, own in steps.groupby("rank", sort=False):
        label = rank_labels[int(str(rank))]
        names += [*own["name"], rank_name(label, "end of the last step")]
        start += [*own["start"].tolist(), int(own["end"].iloc[-1])]
        end += [*own["end"].tolist(), None]
        ranks += [label or None] * (len(own) + 1)
    columns = {
        "name": pd.Series(names, dtype="str"),
        "start": np.array(start, np.int64),
        "end": pd.array(end, dtype="Int64"),
        "colour": "gray",
        "rank": pd.Series(ranks, dtype="str"),
    }
    return complete("markers", columns)
