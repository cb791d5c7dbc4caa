"""Frames `steps`, `events` and `tracks` of attempts, from the cost tables of a TPU-MLIR log.

Transfers and computation of a step run in parallel; the events of a lane run in sequence. So step t
begins when the longer lane of step t - 1 ends.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from data_loaders.tpu_mlir.attempts import Grouping
from data_loaders.tpu_mlir.cycles import ASSIGNED, BEFORE, Table
from data_loaders.tpu_mlir.rows import Rows
from schema.array_types import Ints
from schema.frames import complete

_LANES = ("gdma", "layer")
_MAX_PER_BLOCK = 8
"""Maximum steps and lines of a table per block of its attempt: every step allocates a block, and
every line moves or produces a block.
"""


def assign_tables(
    rows: Rows, attempts: Grouping, lengths: Ints, cost_tables: Sequence[Table]
) -> dict[int, Table]:
    """Map attempts to their cost table: the last table before the attempt, if slicing and number of
    steps match.

    The compiler's final passes print no table; an attempt with exactly the blocks of an earlier
    attempt gets the table of that attempt. Attempts without a table are missing.
    """
    if not cost_tables:
        return {}
    kind = ASSIGNED if any(table.kind == ASSIGNED for table in cost_tables) else BEFORE
    chosen = [table for table in cost_tables if table.kind == kind]
    places = [table.position for table in chosen]
    slicing = {
        attempt: rows.settings[rows.setting[first]].shape_secs
        for attempt, first in _firsts(attempts)
    }
    blocks = np.bincount(attempts.of_row, minlength=len(attempts))
    joined: dict[int, Table] = {}
    for attempt, secs in slicing.items():
        before = attempts.position[attempt - 1] if attempt else -1
        rank = bisect_left(places, attempts.position[attempt]) - 1
        # A table before the previous attempt describes that attempt.
        if rank < 0 or places[rank] < before:
            continue
        table = chosen[rank]
        sensible = max(table.length, len(table.lines)) <= _MAX_PER_BLOCK * blocks[attempt]
        if sensible and table.length == lengths[attempt] and table.shape_secs in ("", secs):
            joined[attempt] = table
    return joined | _share_tables(rows, attempts, joined) if joined else {}


def _firsts(attempts: Grouping) -> list[tuple[int, int]]:
    return [(attempt, first) for attempt, first in enumerate(attempts.first.tolist()) if first >= 0]


def _share_tables(rows: Rows, attempts: Grouping, joined: Mapping[int, Table]) -> dict[int, Table]:
    """Map attempts without a table to the table of an earlier attempt with the same blocks.

    Attempts without such an attempt are missing.
    """
    results = rows.results
    columns = [
        results.name.indices.to_numpy(),
        rows.kind.codes,
        results.size,
        results.start,
        results.end,
        rows.setting,
    ]
    blocks = pd.util.hash_pandas_object(
        pd.DataFrame(dict(enumerate(columns))), index=False
    ).to_numpy(np.uint64)
    layouts = np.zeros(len(attempts), np.uint64)
    # A sum of hashes does not depend on the order of the blocks.
    np.add.at(layouts, attempts.of_row, blocks)
    by_layout: dict[int, Table] = {}
    shared: dict[int, Table] = {}
    for attempt, layout in enumerate(layouts.tolist()):
        if attempt in joined:
            by_layout[layout] = joined[attempt]
        elif attempts.first[attempt] >= 0 and layout in by_layout:
            shared[attempt] = by_layout[layout]
    return shared


def timestep_frames(joined: Mapping[int, Table]) -> dict[str, pd.DataFrame]:
    """Build frames `steps`, `events` (a row per line) and `tracks` of the attempts with a table.

    In cycles from the attempt's begin.
    """
    lines = pd.DataFrame(
        [
            (attempt, line.step, _LANES.index(line.lane), line.op_type, line.name, line.cycles)
            for attempt, table in sorted(joined.items())
            for line in table.lines
        ],
        columns=["attempt", "step", "lane", "op_type", "name", "cycles"],
    )
    steps = _steps(joined, lines)
    events = _events(lines, steps)
    return {"steps": steps, "events": events, "tracks": _tracks(events)}


def _steps(joined: Mapping[int, Table], lines: pd.DataFrame) -> pd.DataFrame:
    lengths = {attempt: table.length for attempt, table in sorted(joined.items())}
    pairs = [(attempt, step) for attempt, length in lengths.items() for step in range(length)]
    every = pd.MultiIndex.from_tuples(pairs, names=["attempt", "step"])
    spent = lines.groupby(["attempt", "step", "lane"])["cycles"].sum().unstack("lane", fill_value=0)
    spent = (
        spent.reindex(every, fill_value=0)
        .reindex(columns=range(len(_LANES)), fill_value=0)
        .astype("int64")
    )
    gdma, layer = (spent[lane].to_numpy() for lane in range(len(_LANES)))
    longer = pd.Series(np.maximum(gdma, layer), index=every)
    types = _types_by_step(joined)
    columns = {
        "attempt": every.get_level_values("attempt"),
        "step": every.get_level_values("step"),
        "name": pd.array([", ".join(types.get(pair, {})) for pair in pairs], dtype="str"),
        "op_type": pd.Categorical(
            [", ".join(dict.fromkeys(types.get(pair, {}).values())) for pair in pairs]
        ),
        "gdma_cycles": gdma,
        "layer_cycles": layer,
        "slack": layer - gdma,
        "begin": (longer.groupby("attempt").cumsum() - longer).to_numpy(),
    }
    return complete("steps", columns)


def _types_by_step(joined: Mapping[int, Table]) -> dict[tuple[int, int], dict[str, str]]:
    """Map (attempt, step) to a dict of name and operator type of the step's computations.

    Steps without computation are missing.
    """
    types: dict[tuple[int, int], dict[str, str]] = {}
    for attempt, table in joined.items():
        for line in table.lines:
            if line.lane == "layer":
                types.setdefault((attempt, line.step), {})[line.name] = line.op_type
    return types


def _events(lines: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Build frame `events`, a row per line of the tables.

    Sorted by track (attempt), lane and start, in cycles.
    """
    begins = steps.set_index(["attempt", "step"])["begin"].astype("int64")
    begin = begins.loc[pd.MultiIndex.from_frame(lines[["attempt", "step"]])].to_numpy()
    end = begin + lines.groupby(["attempt", "step", "lane"])["cycles"].cumsum().to_numpy()
    order = np.lexsort((begin, lines["lane"], lines["attempt"]))
    names = {attempt: f"attempt {attempt}" for attempt in lines["attempt"].unique().tolist()}
    columns = {
        "track": pd.Categorical(lines["attempt"].map(names), categories=list(names.values())),
        "lane": pd.Categorical.from_codes(lines["lane"], categories=list(_LANES)),
        "name": lines["name"].astype("category"),
        "start": end - lines["cycles"].to_numpy(),
        "end": end,
        "opened": True,
        "closed": True,
    }
    return complete("events", pd.DataFrame(columns).iloc[order].reset_index(drop=True))


def _tracks(events: pd.DataFrame) -> pd.DataFrame:
    by_track = events.groupby("track", observed=True)
    count = len(events["track"].cat.categories)
    columns = {
        "track": pd.Categorical(
            events["track"].cat.categories, categories=events["track"].cat.categories
        ),
        "kind": pd.Categorical(["attempt"] * count),
        "process": "time steps as the compiler expects them",
        "order": np.arange(count),
        "first": by_track["start"].min().to_numpy(),
        "last": by_track["end"].max().to_numpy(),
        "entries": 2 * by_track.size().to_numpy(),
    }
    return complete("tracks", columns)
