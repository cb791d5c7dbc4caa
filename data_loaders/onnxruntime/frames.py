"""The frames of an ONNX Runtime profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.entries import KERNEL, MEMORY, NODE, SESSION, SIZES
from schema.array_types import Ints
from schema.frames import complete

RUN = "model_run"
"""The span of a session around everything that one call of `run` does."""
_NO_PROVIDER = "no provider"
_COUNTERS = dict(zip(MEMORY, ("memory in use", "memory in use, highest", "arena held"), strict=True))
_SECOND = 1e-9


@dataclass(frozen=True)
class Profile:
    """A profile: rows of kernels, rows of the session's spans, and of these the runs by start, all with `row` names."""

    kernels: pd.DataFrame
    session: pd.DataFrame
    runs: pd.DataFrame


def read_profile(spans: pd.DataFrame) -> Profile:
    """Return the parts of a profile's spans, in order of time, the longer first of what begins together."""
    ordered = spans.sort_values(["start", "end"], ascending=[True, False], kind="stable", ignore_index=True)
    name, category = ordered["name"].astype("str"), ordered["cat"].astype("str")
    is_kernel = (category == NODE) & name.str.endswith(KERNEL)
    kernels = ordered[is_kernel].assign(name=name[is_kernel].str.removesuffix(KERNEL)).reset_index(drop=True)
    kernels["row"] = _rows_of(kernels["provider"].astype("str").fillna(_NO_PROVIDER), kernels["tid"])
    session = ordered[category == SESSION].assign(name=name[category == SESSION]).reset_index(drop=True)
    session["row"] = _rows_of(pd.Series("session", index=session.index), session["tid"])
    return Profile(kernels, session, session[session["name"] == RUN].reset_index(drop=True))


def _rows_of(owner: pd.Series, thread: pd.Series) -> pd.Series:
    """Return the track of each span: its owner, with the thread where that has several."""
    threads = pd.DataFrame({"owner": owner, "thread": thread}).groupby("owner")["thread"].transform("nunique")
    return owner.where(threads < 2, owner + " thread " + thread.astype("str").fillna("unknown"))


def tracks_frame(profile: Profile) -> pd.DataFrame:
    """Return frame `tracks`: the rows of the session, then those of providers."""
    parts = [profile.session.assign(kind="annotation"), profile.kernels.assign(kind="device")]
    spans = pd.concat([part[["row", "kind", "start", "end"]] for part in parts], ignore_index=True)
    rows = spans.groupby("row", sort=False).agg(
        kind=("kind", "first"), first=("start", "min"), last=("end", "max"), entries=("start", "size")
    )
    columns = {name: rows[name].to_numpy() for name in ("kind", "first", "last", "entries")}
    return complete("tracks", {"track": rows.index.to_numpy(), "order": np.arange(len(rows)), **columns})


def events_frame(profile: Profile) -> pd.DataFrame:
    """Return frame `events`: the spans of the session, by row and start."""
    spans = profile.session.sort_values("row", kind="stable")
    whole = np.ones(len(spans), np.bool_)
    columns = {"track": spans["row"].to_numpy(), "lane": spans["row"].to_numpy(), "opened": whole, "closed": whole}
    return complete("events", columns | {name: spans[name].to_numpy() for name in ("name", "start", "end")})


def kernels_frame(profile: Profile) -> pd.DataFrame:
    """Return frame `kernels`: what the kernel of each node took, with the run of the model that it was part of."""
    found = profile.kernels.assign(iteration=runs_at(profile)).sort_values("row", kind="stable", ignore_index=True)
    duration = found["end"] - found["start"]
    sizes = found[list(SIZES)]
    moved = sizes.sum(axis=1, min_count=len(SIZES)).astype("Int64")
    seconds = duration.where(duration > 0).astype("float64") * _SECOND
    columns = {
        "track": found["row"],
        "kernel": found.groupby("row", sort=False).cumcount(),
        "name": found["name"],
        "start": found["start"],
        "end": found["end"],
        "duration": duration,
        "iteration": found["iteration"],
        "kept": True,
        "run": found.groupby(["row", "name"], sort=False).cumcount() + 1,
        "copy": False,
        "batched": False,
        "memory_bytes": moved,
        "memory_rate": moved.astype("float64") / seconds,
        "metadata": found["op_name"].astype("str"),
    }
    return complete("kernels", columns)


def runs_at(profile: Profile) -> pd.Series:
    """Return the run of the model that each kernel began in, from 0; null where none or several may be meant.

    Calls of one thread follow each other, so that a thread's kernels are of the call that it is in; what a pool's
    thread runs is of the one call that is under way.
    """
    runs, kernels = profile.runs, profile.kernels
    start = kernels["start"].to_numpy(np.int64)
    found = _only_open(runs["start"].to_numpy(np.int64), runs["end"].to_numpy(np.int64), start)
    for thread, own in runs.groupby("tid"):
        mine = np.flatnonzero((kernels["tid"] == thread).fillna(False).to_numpy(np.bool_))
        begins, ends = own["start"].to_numpy(np.int64), own["end"].to_numpy(np.int64)
        place = np.searchsorted(begins, start[mine], side="right") - 1
        inside = (place >= 0) & (start[mine] < ends[np.maximum(place, 0)])
        found[mine[inside]] = own.index.to_numpy(np.int64)[place[inside]]
    return pd.Series(pd.arrays.IntegerArray(found, found < 0))


def _only_open(begins: Ints, ends: Ints, times: Ints) -> Ints:
    """Return which interval is open at each time where one alone is, else -1; `begins` rise."""
    order = np.argsort(ends, kind="stable")
    begun = np.searchsorted(begins, times, side="right")
    ended = np.searchsorted(ends[order], times, side="right")
    of_begun = np.concatenate([[0], np.cumsum(np.arange(len(begins)))])
    of_ended = np.concatenate([[0], np.cumsum(order)])
    # of the ranks of all that begun and of all that ended, the difference is the rank of the one that is open
    return np.where(begun - ended == 1, of_begun[begun] - of_ended[ended], -1).astype(np.int64)


def markers_frame(profile: Profile) -> pd.DataFrame:
    """Return frame `markers`: where each run of the model begins, and where the last one ends."""
    runs = profile.runs
    names = [f"{RUN} {rank}" for rank in range(len(runs))]
    starts = runs["start"].tolist()
    if len(runs):
        names, starts = [*names, "end of the last run"], [*starts, int(runs["end"].max())]
    return complete("markers", {"name": pd.Series(names, dtype="str"), "start": starts, "colour": "gray"})


def counters_frame(profile: Profile) -> pd.DataFrame:
    """Return frame `counters`: bytes of the arena as each kernel left them."""
    kernels = profile.kernels
    parts = [
        pd.DataFrame({"track": said["row"], "name": label, "value": said[column], "start": said["end"]})
        for column, label in _COUNTERS.items()
        for said in [kernels[kernels[column].notna()]]
    ]
    found = pd.concat(parts, ignore_index=True).sort_values(["name", "start"], kind="stable", ignore_index=True)
    return complete("counters", {name: found[name] for name in found} | {"value": found["value"].astype("float64")})
