"""Build the frames of an ONNX Runtime profile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.entries import MEMORY, SIZES
from data_loaders.onnxruntime.nodes import UNKNOWN
from data_loaders.onnxruntime.parts import RUN, Profile
from data_loaders.onnxruntime.run_windows import find_runs
from schema.frames import complete

_COUNTERS = dict(
    zip(MEMORY, ("memory in use", "memory in use, highest", "arena held"), strict=True)
)
_SECOND = 1e-9


def tracks_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `tracks` (times in ns): rows of the devices, then of the session, of the nodes,
    and of the host's calls.
    """
    nodes = profile.nodes.assign(kind="user" if profile.has_devices else "device")
    parts = [
        profile.executions.assign(kind="device"),
        profile.session.assign(kind="annotation"),
        nodes,
        profile.calls.assign(kind="user"),
    ]
    names = ["row", "kind", "pid", "device", "tid", "stream", "start", "end"]
    spans = pd.concat([part.reindex(columns=names) for part in parts], ignore_index=True)
    rows = spans.groupby("row", sort=False).agg(
        kind=("kind", "first"),
        pid=("pid", "first"),
        device=("device", "first"),
        tid=("tid", "first"),
        stream=("stream", "first"),
        first=("start", "min"),
        last=("end", "max"),
        entries=("start", "size"),
    )
    columns = {name: rows[name].to_numpy() for name in ("kind", "first", "last", "entries")}
    if profile.has_devices:
        is_device = (rows["kind"] == "device").to_numpy(bool)
        process = rows["pid"].astype("str").mask(is_device, rows["device"])
        thread = rows["tid"].mask(is_device, rows["stream"]).astype("str")
        columns |= {
            name: texts.fillna(UNKNOWN).to_numpy()
            for name, texts in (("pid", process), ("tid", thread))
        }
    return complete(
        "tracks", {"track": rows.index.to_numpy(), "order": np.arange(len(rows)), **columns}
    )


def events_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `events`: the spans of the session, and of the host if devices were profiled.

    Sorted by row and start, with times in ns.
    """
    parts = [profile.session]
    if profile.has_devices:
        parts += [profile.nodes, profile.calls]
    spans = pd.concat(parts, ignore_index=True).sort_values("row", kind="stable")
    whole = np.ones(len(spans), np.bool_)
    columns = {
        "track": spans["row"].to_numpy(),
        "lane": spans["row"].to_numpy(),
        "opened": whole,
        "closed": whole,
        "category": spans["cat"].astype("str").to_numpy(),
    }
    return complete(
        "events", columns | {name: spans[name].to_numpy() for name in ("name", "start", "end")}
    )


def kernels_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `kernels`: a row per execution on a device, or a row per span of a node if the
    profile has no devices.

    Sorted by track and start, with times in ns. `iteration` is the run of the model (see
    `find_runs`), `run` counts from 1 per track and name, `memory_rate` is bytes per s.
    """
    if profile.has_devices:
        return _kernels_frame(profile, profile.executions, _device_columns)
    return _kernels_frame(profile, profile.nodes, _node_columns)


def _kernels_frame(
    profile: Profile, spans: pd.DataFrame, columns: Callable[[pd.DataFrame], dict[str, object]]
) -> pd.DataFrame:
    run = find_runs(profile.runs, spans)
    kernels = spans.assign(iteration=pd.arrays.IntegerArray(run, run < 0)).sort_values(
        "row", kind="stable", ignore_index=True
    )
    shared = {
        "track": kernels["row"],
        "kernel": kernels.groupby("row", sort=False).cumcount(),
        "name": kernels["name"],
        "start": kernels["start"],
        "end": kernels["end"],
        "duration": kernels["end"] - kernels["start"],
        "iteration": kernels["iteration"],
        "kept": True,
        "run": kernels.groupby(["row", "name"], sort=False).cumcount() + 1,
        "copy": False,
        "batched": False,
        "metadata": kernels["op_name"].astype("str"),
    }
    return complete("kernels", shared | columns(kernels))


def _device_columns(kernels: pd.DataFrame) -> dict[str, object]:
    return {
        "class": kernels["class"],
        "copy": kernels["class"] == "copy",
        "op": kernels["op_name"],
        "grid": kernels["grid"],
        "block": kernels["block"],
    }


def _node_columns(nodes: pd.DataFrame) -> dict[str, object]:
    """Build the columns that only nodes have.

    The duration of a node that contains other nodes is its own time only, so that durations can be
    added up. Its bytes are null, because they would count the bytes of the inner nodes again. A
    doubtful node has neither end nor duration.
    """
    doubtful = nodes["doubtful"].to_numpy(bool)
    sizes = nodes[list(SIZES)]
    # The bytes of a kernel are null when any of the three sizes is missing.
    moved = sizes.sum(axis=1, min_count=len(SIZES)).astype("Int64")
    moved = moved.mask(nodes["has_nodes_inside"].to_numpy(bool))
    seconds = nodes["own"].where(nodes["own"] > 0).astype("float64") * _SECOND
    return {
        "end": nodes["end"].astype("Int64").mask(doubtful),
        "duration": nodes["own"].astype("Int64").mask(doubtful),
        "op": nodes["op_name"],
        "memory_bytes": moved,
        "memory_rate": moved.astype("float64") / seconds,
    }


def markers_frame(profile: Profile) -> pd.DataFrame:
    """Build frame `markers`: the begin of each run of the model, and the end of the last run; empty
    without runs.
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
    kernels = profile.nodes
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
