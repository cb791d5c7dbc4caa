"""Build the frames of an ONNX Runtime profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.entries import KERNEL, MEMORY, NODE, SESSION, SIZES
from schema.array_types import Ints
from schema.frames import complete

RUN = "model_run"
"""Name of the session's span around a call of `run`."""
_NO_PROVIDER = "no provider"
_COUNTERS = dict(
    zip(MEMORY, ("memory in use", "memory in use, highest", "arena held"), strict=True)
)
_SECOND = 1e-9


@dataclass(frozen=True)
class Profile:
    """Parts of a profile: kernels, the session's spans, and its runs sorted by start.

    `row` is the track.
    """

    kernels: pd.DataFrame
    session: pd.DataFrame
    runs: pd.DataFrame


def read_profile(spans: pd.DataFrame) -> Profile:
    """Separate kernels, without the suffix of their names, and session spans.

    Sorted by start, then the longer span first. Frames without rows if there are no such spans.
    """
    ordered = spans.sort_values(
        ["start", "end"], ascending=[True, False], kind="stable", ignore_index=True
    )
    name = ordered["name"].astype("str")
    category = ordered["cat"].astype("str")
    is_kernel = (category == NODE) & name.str.endswith(KERNEL)
    kernels = (
        ordered[is_kernel]
        .assign(name=name[is_kernel].str.removesuffix(KERNEL))
        .reset_index(drop=True)
    )
    kernels["row"] = _track_names(
        kernels["provider"].astype("str").fillna(_NO_PROVIDER), kernels["tid"]
    )
    session = (
        ordered[category == SESSION].assign(name=name[category == SESSION]).reset_index(drop=True)
    )
    session["row"] = _track_names(pd.Series("session", index=session.index), session["tid"])
    return Profile(kernels, session, session[session["name"] == RUN].reset_index(drop=True))


def _track_names(owner: pd.Series, thread: pd.Series) -> pd.Series:
    """Return the name of each span's track: its owner, with ` thread N` added if the owner has
    several threads.
    """
    threads = (
        pd.DataFrame({"owner": owner, "thread": thread})
        .groupby("owner")["thread"]
        .transform("nunique")
    )
    return owner.where(threads < 2, owner + " thread " + thread.astype("str").fillna("unknown"))


def tracks_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `tracks` (times in ns): the rows of the session, then the rows of the providers."""
    parts = [profile.session.assign(kind="annotation"), profile.kernels.assign(kind="device")]
    spans = pd.concat([part[["row", "kind", "start", "end"]] for part in parts], ignore_index=True)
    rows = spans.groupby("row", sort=False).agg(
        kind=("kind", "first"),
        first=("start", "min"),
        last=("end", "max"),
        entries=("start", "size"),
    )
    columns = {name: rows[name].to_numpy() for name in ("kind", "first", "last", "entries")}
    return complete(
        "tracks", {"track": rows.index.to_numpy(), "order": np.arange(len(rows)), **columns}
    )


def events_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `events`: a row per span of the session.

    Sorted by row and start, with times in ns.
    """
    spans = profile.session.sort_values("row", kind="stable")
    whole = np.ones(len(spans), np.bool_)
    columns = {
        "track": spans["row"].to_numpy(),
        "lane": spans["row"].to_numpy(),
        "opened": whole,
        "closed": whole,
    }
    return complete(
        "events", columns | {name: spans[name].to_numpy() for name in ("name", "start", "end")}
    )


def kernels_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `kernels`: a row per kernel of a node.

    Sorted by track and start, with times in ns. `iteration` is the run of the model (see
    `kernel_runs`), `run` counts from 1 per track and name, `memory_rate` is bytes per s.
    """
    kernels = profile.kernels.assign(iteration=kernel_runs(profile)).sort_values(
        "row", kind="stable", ignore_index=True
    )
    duration = kernels["end"] - kernels["start"]
    sizes = kernels[list(SIZES)]
    # The bytes of a kernel are null when any of the three sizes is missing.
    moved = sizes.sum(axis=1, min_count=len(SIZES)).astype("Int64")
    seconds = duration.where(duration > 0).astype("float64") * _SECOND
    columns = {
        "track": kernels["row"],
        "kernel": kernels.groupby("row", sort=False).cumcount(),
        "name": kernels["name"],
        "start": kernels["start"],
        "end": kernels["end"],
        "duration": duration,
        "iteration": kernels["iteration"],
        "kept": True,
        "run": kernels.groupby(["row", "name"], sort=False).cumcount() + 1,
        "copy": False,
        "batched": False,
        "memory_bytes": moved,
        "memory_rate": moved.astype("float64") / seconds,
        "metadata": kernels["op_name"].astype("str"),
    }
    return complete("kernels", columns)


def kernel_runs(profile: Profile) -> pd.Series:
    """Return the number of the run of the model, from 0, in which each kernel began.

    The run is null if it is unknown or ambiguous. Calls of a thread follow each other, so kernels
    on that thread belong to its current call. A kernel on a pool thread belongs to the call in
    progress, if no other call is.
    """
    runs = profile.runs
    kernels = profile.kernels
    # First the rule for pool threads, then the threads with calls of their own override it.
    start = kernels["start"].to_numpy(np.int64)
    run = _only_open(runs["start"].to_numpy(np.int64), runs["end"].to_numpy(np.int64), start)
    for thread, own in runs.groupby("tid"):
        mine = np.flatnonzero((kernels["tid"] == thread).fillna(False).to_numpy(np.bool_))
        begins = own["start"].to_numpy(np.int64)
        ends = own["end"].to_numpy(np.int64)
        place = np.searchsorted(begins, start[mine], side="right") - 1
        inside = (place >= 0) & (start[mine] < ends[np.maximum(place, 0)])
        run[mine[inside]] = own.index.to_numpy(np.int64)[place[inside]]
    return pd.Series(pd.arrays.IntegerArray(run, run < 0))


def _only_open(begins: Ints, ends: Ints, times: Ints) -> Ints:
    """Return the index of the interval that is open at each time (begin inclusive, end exclusive).

    Returns -1 if no interval or more than one is. `begins` must be sorted.
    """
    order = np.argsort(ends, kind="stable")
    begun = np.searchsorted(begins, times, side="right")
    ended = np.searchsorted(ends[order], times, side="right")
    of_begun = np.concatenate([[0], np.cumsum(np.arange(len(begins)))])
    of_ended = np.concatenate([[0], np.cumsum(order)])
    # If only a single interval is open, its rank is the sum of the ranks of all begun intervals
    # minus the sum of the ranks of all ended intervals.
    return np.where(begun - ended == 1, of_begun[begun] - of_ended[ended], -1).astype(np.int64)


def markers_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `markers`: begin of each run of the model, and end of the last run.

    No rows without runs.
    """
    runs = profile.runs
    names = [f"{RUN} {rank}" for rank in range(len(runs))]
    starts = runs["start"].tolist()
    if len(runs):
        names.append("end of the last run")
        starts.append(int(runs["end"].max()))
    return complete(
        "markers", {"name": pd.Series(names, dtype="str"), "start": starts, "colour": "gray"}
    )


def counters_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `counters`: bytes of the arena at the end of each kernel.

    A row per counter and kernel, sorted by name and time. Kernels without the number are left out.
    """
    kernels = profile.kernels
    parts = [
        pd.DataFrame(
            {
                "track": sampled["row"],
                "name": label,
                "value": sampled[column],
                "start": sampled["end"],
            }
        )
        for column, label in _COUNTERS.items()
        for sampled in [kernels[kernels[column].notna()]]
    ]
    counters = pd.concat(parts, ignore_index=True).sort_values(
        ["name", "start"], kind="stable", ignore_index=True
    )
    return complete(
        "counters",
        {name: counters[name] for name in counters}
        | {"value": counters["value"].astype("float64")},
    )
