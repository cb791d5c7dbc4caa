"""Expected numbers of the sentences of views, computed by plain pandas from the frames of a run."""

import re

import numpy as np

from analysis.timeline.rows import SYSTEM
from app.views.memory.groups import log_sentence
from app.views.memory.shown import shown_map
from app.views.registry import RUN
from app.views.run_words import first_sentence
from app.views.state import RunState
from app.views.view import Plot
from components.aie.captions import health_caption
from services.run.capabilities import Capability
from services.run.plan import plan_mapping
from tests.support.sentences import live_at, plain


class Shown:
    """The data of a run together with the state in which its views are drawn."""

    def __init__(self, data, state=None):
        self.data = data
        self.state = state or RunState()

    def __getattr__(self, name):
        return getattr(self.data, name)


_MAX_ATTEMPTS = 6


def states(data):
    """Yield a run in the states in which it is shown: as opened, and with each of the first
    attempts selected.
    """
    yield Shown(data)
    if data.can(Capability.ADDRESSES):
        for number in data.frame("attempts")["attempt"].tolist()[:_MAX_ATTEMPTS]:
            yield Shown(data, RunState().remembering(attempt=int(number)))


def shown_attempt(data):
    """Return the displayed attempt and its blocks, with the addresses of a layout if the page
    computed it.
    """
    shown = shown_map(data.data, data.state)
    return shown.attempt, shown.blocks


def extent(data):
    row, blocks = shown_attempt(data)
    placed = blocks[blocks["address"].notna() & (blocks["kind"] != "constant")]
    ends = placed["address"] + placed["size"]
    return int(ends.max()) if len(ends) else int(row["extent"])


def used_bytes(data):
    row, _ = shown_attempt(data)
    return extent(data) + int(row["static_bytes"])


def capacity(data):
    return int(shown_attempt(data)[0]["capacity"])


def live_bytes(data):
    """Map the steps at which a block begins or ends to the live bytes."""
    _, blocks = shown_attempt(data)
    steps = sorted({0, *blocks["start"].astype(int), *blocks["end"].astype(int)})
    return {step: int(live_at(blocks, step)["size"].sum()) for step in steps}


def peak_step(data):
    by_step = live_bytes(data)
    return min(step for step in by_step if by_step[step] == max(by_step.values()))


def at_peak(data):
    return live_at(shown_attempt(data)[1], peak_step(data))


def cycles(data):
    row, _ = shown_attempt(data)
    steps = data.frame("steps")
    # Steps without an attempt belong to all of them.
    own = steps[steps["attempt"].isna() | (steps["attempt"] == row["attempt"]).fillna(False)]
    own = own.dropna(subset=["gdma_cycles", "layer_cycles"])
    return own["gdma_cycles"].to_numpy(np.int64), own["layer_cycles"].to_numpy(np.int64)


def wait_cycles(data):
    gdma, layer = cycles(data)
    wait, whole = np.maximum(gdma - layer, 0).sum(), np.maximum(gdma, layer).sum()
    return (gdma > layer).sum(), len(gdma), wait, whole, wait / whole


def main_kernels(data):
    """Select the kept kernels of the kind with the longest total time."""
    kept = data.kernels[data.kernels["kept"].astype(bool)]
    totals = kept.groupby(kept["name"].astype("str"))["duration"].sum()
    return kept[kept["name"].astype("str") == totals.idxmax()]


def kernel_numbers(data):
    durations = main_kernels(data)["duration"].to_numpy(np.float64)
    return np.median(durations), np.quantile(durations, 0.95), len(durations)


def left_out(data):
    kept = data.kernels["kept"].astype(bool)
    return (~kept).sum(), len(kept)


def complete_iterations(data):
    rows = data.frame("iterations")
    rows = rows[(rows["track"] == SYSTEM) | (rows["track"].nunique() == 1)]
    rows = rows[rows["complete"].astype(bool) & (rows["phase"] == "perf") & (rows["elapsed"] > 0)]
    return rows[rows["cores"] == rows["cores"].mode().max()] if len(rows) else rows


def timed_cores(data):
    return len(data.pace.tiles)


def kernel_runs(data):
    kernels = data.kernels[~data.kernels["copy"].astype(bool)]
    return kernels["duration"].dropna().to_numpy(np.float64)


def run_numbers(data):
    runs = kernel_runs(data)
    return len(runs), np.median(runs), np.quantile(runs, 0.95), runs.max()


def heavy_kernels(data):
    """Return (number of named kernels, number of kernels, share of the named kernels, total time
    with copies).
    """
    named = re.search(r"(\d+) kernels? of", plain(caption(data, "kernels")))
    is_copy = data.kernels["copy"].astype(bool)
    names = data.kernels["name"].astype("str")
    own = data.kernels[~is_copy].groupby(names[~is_copy])["duration"].sum()
    own = own.sort_values(ascending=False)
    total = data.kernels["duration"].sum()
    few = int(named[1]) if named else 0
    return few, len(own), own.head(few).sum() / total, total


def stall_share(data):
    """Compute the largest share of a kind of stall in the traced time of all tiles."""
    rows = data.frame("activity")
    rows = rows[rows["name"].astype("str").str.endswith("_STALL") & rows["share"].notna()]
    sums = rows.groupby(rows["name"].astype("str"))[["busy", "window"]].sum()
    return (sums["busy"] / sums["window"]).max()


def device_peak(data):
    """Compute the largest sum of sizes of buffers alive at the same time on a device."""
    blocks = data.frame("allocations")
    peaks = [
        max(int(live_at(own, step)["size"].sum()) for step in own["start"].astype(int).unique())
        for _, own in blocks.groupby("attempt")
        if len(own)
    ]
    return max(peaks)


def severities(data):
    counts = data.diagnostics["severity"].astype("str").value_counts()
    return [int(counts.get(name, 0)) for name in ("error", "warning", "info")]


def planned_level(data):
    """Return the innermost level of a network as `plan --json` prints it."""
    levels = plan_mapping(data.data, None, ())["levels"]
    return min(levels, key=lambda level: level["level"])


def level_needs(data):
    level = planned_level(data)
    return len(level["operators"]), level["least_capacity"]["any"]


def level_traffic(data):
    level = planned_level(data)
    known = [one for one in level["operators"] if one["bytes_in"] is not None]
    into, out = (sum(one[name] for one in known) for name in ("bytes_in", "bytes_out"))
    return into + out, into, out


def level_unknown(data):
    operators = planned_level(data)["operators"]
    return sum(one["bytes_in"] is None for one in operators), len(operators)


def fullest_tiling(data):
    """Return (largest share of a level that a tiling with the static bytes needs, capacity of the
    level).
    """
    taken = [
        (one.own.bytes + one.operator.static + one.operator.added_static, one.operator.capacity)
        for one in data.tiling.tiled_operators
        if one.operator.capacity
    ]
    used, room = max(taken, key=lambda pair: pair[0] / pair[1])
    return used / room, room


def group_attempts(data):
    """List the attempts of each layer group, in order."""
    attempts = data.frame("attempts")
    names = attempts["group"].astype("str")
    return [own.sort_values("attempt") for _, own in attempts.groupby(names, sort=False)]


def failed_on_the_way(data):
    return sum((own["failed"].fillna(0) > 0).sum() for own in group_attempts(data))


def caption(data, view_id):
    """Draw the view with an id and return its caption; "" if the run does not have the view."""
    if view_id == "log":
        return log_sentence(data.data)
    if view_id == "first":
        return first_sentence(data.data, data.state)
    if view_id == "health":
        return health_caption(data.diagnostics)
    view = next((view for view in RUN.available_views(data.data) if view.id == view_id), None)
    return "" if view is None else caption_of(view, data)


def caption_of(view, data):
    """Draw a view and return its caption."""
    if isinstance(view, Plot):
        return view.draw(data.data, data.state, "light").caption
    return view.make(data.data, data.state).caption
