"""Compile time by rewrite step, by rule, by context, and by the ranges that the compiler traced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.nested_starts import nested_starts
from analysis.program.own_times import own_durations
from schema.frames import Frames

MAX_DEPTH = 60
"""Maximum nesting depth of ranges; deeper ranges count as part of the range that contains them."""


@dataclass(frozen=True)
class Ranges:
    """Nested ranges, merged if their names and the names of all ranges around them are equal.

    Columns of `tree`, outer ranges first: parent (row, -1 for a root), name, depth, count, total,
    own (ns), start (ns; position in the drawing, in which the ranges of a parent are side by side).
    `own` excludes the ranges inside.
    """

    tree: pd.DataFrame


def steps_by_name(steps: pd.DataFrame) -> pd.DataFrame:
    """Sum frame `rewrite_steps` by name, a row each, longest first: name, contexts and steps
    (numbers), matches, duration (ns).
    """
    grouped = steps.assign(name=steps["name"].astype("str")).groupby("name", sort=True)
    totals = grouped.agg(
        contexts=("context", "nunique"),
        steps=("step", "size"),
        matches=("matches", "sum"),
        duration=("duration", "sum"),
    )
    return _longest_first(totals.reset_index())


def rules_by_place(matches: pd.DataFrame) -> pd.DataFrame:
    """Sum frame `rewrite_matches` by the source line of the pattern, a row each, longest first.

    Columns: file ("" if unknown), line (Int64, null if unknown), matches (number), duration (ns),
    slowest (ns, of the slowest match), and context, step and match of that match.
    """
    # Replace nulls, because groupby drops rows with null keys.
    filled = matches.assign(
        file=matches["file"].astype("str").fillna(""), line=matches["line"].fillna(-1)
    )
    grouped = filled.groupby(["file", "line"], sort=True)
    totals = grouped.agg(
        matches=("match", "size"), duration=("duration", "sum"), slowest=("duration", "max")
    )
    worst = filled.loc[grouped["duration"].idxmax(), ["file", "line", "context", "step", "match"]]
    rows = totals.reset_index().merge(worst, on=["file", "line"])
    return _longest_first(rows.assign(line=rows["line"].astype("Int64").mask(rows["line"] < 0)))


def contexts_by_time(contexts: pd.DataFrame) -> pd.DataFrame:
    """List context, name and duration (ns) of frame `contexts`, a row each, longest first."""
    return _longest_first(contexts[["context", "name", "duration"]])


def _longest_first(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values("duration", ascending=False, kind="stable", ignore_index=True)


def compiler_ranges(tracks: pd.DataFrame, events: pd.DataFrame) -> pd.DataFrame:
    """List the events on tracks of kind `compiler`, a row each with name, start and end (ns),
    sorted by start, longer ranges first; no rows without such tracks.
    """
    rows = tracks.loc[tracks["kind"].astype("str") == "compiler", "track"].astype("str")
    own = events.loc[events["track"].isin(rows), ["name", "start", "end"]]
    return own.sort_values(
        ["start", "end"], ascending=[True, False], kind="stable", ignore_index=True
    )


def merge_ranges(ranges: pd.DataFrame) -> Ranges:
    """Merge the ranges of `compiler_ranges` that have the same name and the same names around them
    into a tree; without ranges it has no rows.

    A range that ends after its parent counts with its full length. Ranges deeper than MAX_DEPTH
    (60) only count in the range that contains them.
    """
    places: dict[tuple[int, str], int] = {}
    rows: list[list[int]] = []  # depth, count, total, inside
    names: list[str] = []
    parents: list[int] = []
    open_ends: list[int] = []
    open_rows: list[int] = []
    times = zip(
        ranges["name"].astype("str"), ranges["start"].tolist(), ranges["end"].tolist(), strict=True
    )
    for name, start, end in times:
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
            open_rows.pop()
        within = open_rows[-1] if open_rows else -1
        if within >= 0:
            rows[within][3] += min(end, open_ends[-1]) - start
        if len(open_rows) >= MAX_DEPTH:
            continue
        row = places.setdefault((within, name), len(rows))
        if row == len(rows):
            rows.append([len(open_rows), 0, 0, 0])
            names.append(name)
            parents.append(within)
        rows[row][1] += 1
        rows[row][2] += end - start
        open_ends.append(end)
        open_rows.append(row)
    depth, count, total, inside = (
        (np.array(column, np.int64) for column in zip(*rows, strict=True)) if rows else _NONE
    )
    columns = {"parent": parents, "name": names, "depth": depth, "count": count, "total": total}
    tree = pd.DataFrame(columns | {"own": np.maximum(total - inside, 0)})
    return Ranges(tree.assign(start=nested_starts(parents, total)))


_NONE = (np.zeros(0, np.int64),) * 4
"""Columns of no ranges."""


def ranges_by_name(ranges: Ranges) -> pd.DataFrame:
    """Sum the ranges by name, a row each, longest total first: name, count, total and own (ns).

    A name inside itself counts twice in total.
    """
    totals = ranges.tree.groupby("name", sort=True)[["count", "total", "own"]].sum().reset_index()
    return totals.sort_values("total", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True)
class CompileTime:
    """Compile time in several groupings; `total` is the summed time of all matches in ns.

    `elapsed` counts the time of nested matches once (ns), and `own` has it by the name of the step:
    its sum is `elapsed`.
    """

    total: int
    elapsed: int
    own: pd.Series[int]
    steps: pd.DataFrame
    rules: pd.DataFrame
    contexts: pd.DataFrame
    ranges: Ranges


def compile_time(frames: Frames) -> CompileTime:
    """Compute the compile time (ns) by steps, rules, contexts and ranges from frames rewrite_steps,
    rewrite_matches, contexts, tracks and events.
    """
    steps = frames["rewrite_steps"]
    own = pd.Series(own_durations(steps), dtype="int64").groupby(
        steps["name"].astype("str").to_numpy()
    )
    own_by_name = own.sum().sort_values(ascending=False, kind="stable")
    return CompileTime(
        total=int(frames["contexts"]["duration"].sum()),
        elapsed=int(own_by_name.sum()),
        own=own_by_name,
        steps=steps_by_name(frames["rewrite_steps"]),
        rules=rules_by_place(frames["rewrite_matches"]),
        contexts=contexts_by_time(frames["contexts"]),
        ranges=merge_ranges(compiler_ranges(frames["tracks"], frames["events"])),
    )
