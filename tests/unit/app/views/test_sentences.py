"""Every number in the sentences of the views of the samples, against the frames that it is from.

A row names a view, what its numbers mean, where they are in the sentence, and how plain pandas
computes them, apart from the functions that write the sentence.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from analysis.timeline.rows import SYSTEM
from app.views.memory.groups import log_sentence
from app.views.memory.shown import shown_map
from app.views.registry import RUN
from app.views.run_words import first_sentence
from app.views.state import RunState
from app.views.view import Plot
from components.aie.captions import health_caption
from components.kernels.step_words import FILL_LABELS
from services.run.capabilities import Capability
from services.run.plan import plan_mapping
from tests.support.sentences import (
    COUNT,
    QUANTITY,
    is_written,
    live_at,
    number_faults,
    plain,
    union_bytes,
)


@dataclass(frozen=True)
class Row:
    view: str
    meaning: str
    pattern: str
    numbers: Callable
    needs: tuple = ()


class Shown:
    """The data of a run with the state in which its views are drawn."""

    def __init__(self, data, state=None):
        self.data = data
        self.state = state or RunState()

    def __getattr__(self, name):
        return getattr(self.data, name)


_MAX_ATTEMPTS = 6


def states(data):
    """Yield the states in which a run is shown: several attempts are shown one by one."""
    yield Shown(data)
    if data.can(Capability.ADDRESSES):
        for number in data.frame("attempts")["attempt"].tolist()[:_MAX_ATTEMPTS]:
            yield Shown(data, RunState().remembering(attempt=int(number)))


def shown_attempt(data):
    """The attempt on display and its blocks, with the addresses of a layout that the page made."""
    shown = shown_map(data.data, data.state)
    return shown.attempt, shown.blocks


def extent(data):
    row, blocks = shown_attempt(data)
    placed = blocks[blocks["address"].notna() & (blocks["kind"] != "constant")]
    ends = placed["address"] + placed["size"]
    return int(ends.max()) if len(ends) else int(row["extent"])


def used(data):
    row, _ = shown_attempt(data)
    return extent(data) + int(row["static_bytes"])


def capacity(data):
    return int(shown_attempt(data)[0]["capacity"])


def live_bytes(data):
    """Live bytes by step, for the steps at which a block begins or ends."""
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
    """Kept kernels of the most frequent kind that takes most time: the main ones of a capture."""
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
    """How many kernels are named, of how many, their share, and the time of kernels and copies."""
    named = re.search(r"(\d+) kernels? of", plain(caption(data, "kernels")))
    is_copy = data.kernels["copy"].astype(bool)
    names = data.kernels["name"].astype("str")
    own = data.kernels[~is_copy].groupby(names[~is_copy])["duration"].sum()
    own = own.sort_values(ascending=False)
    total = data.kernels["duration"].sum()
    few = int(named[1]) if named else 0
    return few, len(own), own.head(few).sum() / total, total


def stall_share(data):
    """The largest share of a stall in the traced time of all tiles."""
    rows = data.frame("activity")
    rows = rows[rows["name"].astype("str").str.endswith("_STALL") & rows["share"].notna()]
    sums = rows.groupby(rows["name"].astype("str"))[["busy", "window"]].sum()
    return (sums["busy"] / sums["window"]).max()


def device_peak(data):
    """The largest sum of sizes of buffers alive at once on a device."""
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
    """The innermost level of a network as `plan --json` has it."""
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
    """The largest share of a level that a tiling takes with the static bytes, and its capacity."""
    taken = [
        (one.own.bytes + one.operator.static + one.operator.added_static, one.operator.capacity)
        for one in data.tiling.tiled_operators
        if one.operator.capacity
    ]
    used, room = max(taken, key=lambda pair: pair[0] / pair[1])
    return used / room, room


def group_attempts(data):
    """The attempts of each layer group, in order."""
    attempts = data.frame("attempts")
    names = attempts["group"].astype("str")
    return [own.sort_values("attempt") for _, own in attempts.groupby(names, sort=False)]


def failed_on_the_way(data):
    return sum((own["failed"].fillna(0) > 0).sum() for own in group_attempts(data))


MAP = (Capability.ADDRESSES,)
LEVELS = (Capability.TILING, Capability.MEMORY)
LOG = (Capability.ADDRESSES, Capability.LAYER_GROUPS)
ARRAY = (Capability.ITERATIONS,)
PROFILE = (Capability.NAMED_KERNELS,)
ROWS = [
    Row(
        "map",
        "bytes in use, of the capacity, share",
        rf"(?:fits|fit): {QUANTITY} of {QUANTITY} \({QUANTITY}\)",
        lambda data: (used(data), capacity(data), used(data) / capacity(data)),
        MAP,
    ),
    Row(
        "live",
        "step and bytes of the peak",
        rf"ost is alive at step {COUNT}: {QUANTITY}",
        lambda data: (peak_step(data), max(live_bytes(data).values())),
        MAP,
    ),
    Row(
        "live",
        "addresses at the peak",
        rf"ost is alive at step \d+: \d+ B in {QUANTITY} of",
        lambda data: (union_bytes(at_peak(data)),),
        MAP,
    ),
    Row(
        "live",
        "addresses in use",
        rf"addresses reach {QUANTITY}",
        lambda data: (extent(data),),
        MAP,
    ),
    Row(
        "live",
        "waste",
        rf"addresses reach \d+ B, {QUANTITY} over the bound",
        lambda data: (extent(data) - shown_attempt(data)[0]["bound"],),
        MAP,
    ),
    Row(
        "alive",
        "blocks and bytes at the peak",
        rf"the peak: {COUNT} blocks?, {QUANTITY}",
        lambda data: (len(at_peak(data)), at_peak(data)["size"].sum()),
        MAP,
    ),
    Row(
        "alive",
        "share of the capacity at the peak",
        rf"the peak: .* of {QUANTITY} \({QUANTITY}\)",
        lambda data: (
            capacity(data),
            (union_bytes(at_peak(data)) + shown_attempt(data)[0]["static_bytes"]) / capacity(data),
        ),
        MAP,
    ),
    Row(
        "packing",
        "lower bound",
        rf"lower bound {QUANTITY}",
        lambda data: (shown_attempt(data)[0]["bound"],),
        MAP,
    ),
    Row(
        "attempts",
        "attempts",
        rf"^{COUNT} attempts?,",
        lambda data: (data.frame("attempts")["level"].isna().sum(),),
        MAP,
    ),
    Row(
        "attempts",
        "failed attempts",
        rf"attempts, {COUNT} failed",
        lambda data: ((data.frame("attempts")["outcome"].astype("str") == "failed").sum(),),
        MAP,
    ),
    Row(
        "attempts",
        "final attempts and groups",
        rf"{COUNT} final of {COUNT} layer groups",
        lambda data: (
            data.frame("attempts")["final"].fillna(False).astype(bool).sum(),
            data.frame("attempts")["group"].nunique(),
        ),
        MAP,
    ),
    Row(
        "attempts",
        "memory levels",
        rf"^{COUNT} memory levels?\.",
        lambda data: (data.frame("attempts")["level"].nunique(),),
        MAP,
    ),
    Row(
        "timesteps",
        "DMA-bound steps and their waits",
        rf"{COUNT} of {COUNT} steps? DMA-bound: {COUNT} of {COUNT} cycles \({QUANTITY}\)",
        wait_cycles,
        MAP,
    ),
    Row(
        "timesteps",
        "cycles of all steps",
        rf"every transfer, {COUNT} cycles in all",
        lambda data: (np.maximum(*cycles(data)).sum(),),
        MAP,
    ),
    Row(
        "groups",
        "groups and attempts",
        rf"^{COUNT} layer groups? in {COUNT} attempts?",
        lambda data: (data.frame("attempts")["group"].nunique(), len(data.frame("attempts"))),
        MAP,
    ),
    Row(
        "durations",
        "median and p95 of the main kernels, and their number",
        rf"^Median {COUNT} cycles.*?, p95 {COUNT} over {COUNT} ",
        kernel_numbers,
        ARRAY,
    ),
    Row("durations", "kernels left out", rf"{COUNT} of {COUNT} kernels left out", left_out, ARRAY),
    Row(
        "durations",
        "kernels kept",
        rf"All {COUNT} kernels are kept",
        lambda data: (left_out(data)[1],),
        ARRAY,
    ),
    Row(
        "iterations",
        "perf iterations",
        rf"{COUNT} perf iterations?",
        lambda data: (len(complete_iterations(data)),),
        ARRAY,
    ),
    Row(
        "floorplan",
        "traced cores",
        rf"^{COUNT} cores? traced",
        lambda data: ((data.frame("tracks")["kind"].astype("str") == "core").sum(),),
        ARRAY,
    ),
    Row(
        "stalls",
        "share of the largest stall",
        rf"takes {QUANTITY} of traced time",
        lambda data: (stall_share(data),),
        ARRAY,
    ),
    Row(
        "waterfall",
        "achieved rate, cores and iterations",
        rf"^{QUANTITY} of \d[\d.]* GMAC/s \({COUNT} cores?, {COUNT} iterations?\)",
        lambda data: (
            data.headline["gmacs_mean"],
            timed_cores(data),
            len(complete_iterations(data)),
        ),
        ARRAY,
    ),
    Row(
        "first",
        "timed cores",
        rf"\({COUNT} cores timed\)",
        lambda data: (timed_cores(data),),
        ARRAY,
    ),
    Row(
        "durations",
        "runs, median, p95 and longest",
        rf"^{COUNT} runs: median {QUANTITY}, p95 {QUANTITY}; the longest, {QUANTITY},",
        run_numbers,
        PROFILE,
    ),
    Row(
        "kernels",
        "kernels that take most time, their share of it",
        rf"^{COUNT} kernels? of {COUNT} takes? {QUANTITY} of {QUANTITY} ",
        heavy_kernels,
        PROFILE,
    ),
    Row(
        "live",
        "peak of the device that needs most",
        rf"needs the most at .*?: {QUANTITY}",
        lambda data: (device_peak(data),),
        PROFILE,
    ),
    Row(
        "network",
        "operators, and the smallest capacity that they fit into",
        rf"ll {COUNT} operators fit into (?:[\d.]+ .iB \()?{QUANTITY}\)? of L1",
        level_needs,
        LEVELS,
    ),
    Row(
        "network",
        "bytes moved, in and out",
        rf"move {QUANTITY}, {QUANTITY} in and {QUANTITY} out",
        level_traffic,
        LEVELS,
    ),
    Row(
        "network",
        "operators that a sum lacks",
        rf"without {COUNT} of {COUNT} operators",
        level_unknown,
        LEVELS,
    ),
    Row(
        "sweep",
        "capacities that are large enough",
        rf"^{COUNT} of {COUNT} capacit",
        lambda data: (
            sum(one["feasible"] for one in planned_level(data)["sweep"]),
            len(planned_level(data)["sweep"]),
        ),
        LEVELS,
    ),
    Row(
        "joint",
        "pairs of capacities that fit",
        rf"^{COUNT} of {COUNT} pairs?",
        lambda data: (
            sum(one["feasible"] for one in plan_mapping(data.data, None, ())["joint"]),
            len(plan_mapping(data.data, None, ())["joint"]),
        ),
        LEVELS,
    ),
    Row(
        "tiling",
        "share of its level that the fullest tiling takes",
        rf"most(?:, each)?,? {QUANTITY} of its {QUANTITY}",
        fullest_tiling,
        LEVELS,
    ),
    Row(
        "log",
        "attempts that failed on the way",
        rf"failed? for good; {COUNT} attempts? failed on the way",
        lambda data: (failed_on_the_way(data),),
        LOG,
    ),
    Row("health", "warnings", rf"{COUNT} warnings?", lambda data: severities(data)[1:2]),
    Row("health", "notes", rf"{COUNT} notes?", lambda data: severities(data)[2:]),
]
"""What is checked: more than one row may be about a sentence, and a sentence may lack a part."""


def caption(data, view_id):
    """Return the sentence of a view, "" if the run lacks the view."""
    if view_id == "log":
        return log_sentence(data.data)
    if view_id == "first":
        return first_sentence(data.data, data.state)
    if view_id == "health":
        return health_caption(data.diagnostics)
    view = next((view for view in RUN.available_views(data.data) if view.id == view_id), None)
    return "" if view is None else caption_of(view, data)


def caption_of(view, data):
    """Draw a view and return its sentence."""
    if isinstance(view, Plot):
        return view.draw(data.data, data.state, "light").caption
    return view.make(data.data, data.state).caption


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.meaning}" for row in ROWS])
def test_the_numbers_of_a_sentence_are_those_of_its_frame(sample_runs, row):
    seen = 0
    for run in sample_runs:
        if run.can(*row.needs):
            seen += sum([check_row(data, row) for data in states(run)])
    assert seen, "no sample has such a sentence"


def check_row(data, row):
    """Compare the numbers of a row, return whether the run's sentence has them."""
    sentence = plain(caption(data, row.view))
    found = re.search(row.pattern, sentence)
    if found is None:
        return False
    expected = [float(number) for number in row.numbers(data)]
    assert len(found.groups()) == len(expected)
    for written, number in zip(found.groups(), expected, strict=True):
        assert is_written(written, number), f"{data.label}: {sentence}: {written}, not {number}"
    return True


def test_shares_of_a_step_sum_to_the_whole(sample_runs):
    seen = 0
    for data in map(Shown, sample_runs):
        sentence = plain(caption(data, "steps"))
        shares = re.findall(rf"(\d+) % (?:{'|'.join(FILL_LABELS.values())})", sentence)
        if shares:
            seen += 1
            assert sum(map(int, shares)) == 100, sentence
    assert seen


def test_cut_and_unknown_operators_sum_to_all(sample_runs):
    seen = 0
    for data in map(Shown, sample_runs):
        if not data.can(Capability.TILING, Capability.MEMORY):
            continue
        sentence = plain(caption(data, "tiling"))
        cut, known = map(
            int, re.search(rf"tile: {COUNT} of {COUNT} (?:operator|tiling)s?", sentence).groups()
        )
        unknown = re.search(rf"the tiles of {COUNT} more", sentence)
        tiles = [tiled.own.tiles for tiled in data.tiling.tiled_operators]
        seen += 1
        assert cut == sum((count or 0) > 1 for count in tiles)
        assert known == sum(count is not None for count in tiles)
        assert known + (int(unknown[1]) if unknown else 0) == len(tiles)
    assert seen


def test_what_is_alive_fits_into_the_addresses_in_use(sample_runs):
    seen = 0
    for run in sample_runs:
        for data in states(run) if run.can(*MAP) else ():
            sentence = plain(caption(data, "live"))
            alive = re.search(rf"alive at step \d+: {QUANTITY}(?: in {QUANTITY})?", sentence)
            reach = re.search(rf"addresses reach {QUANTITY}", sentence)
            if alive and reach:
                seen += 1
                in_use = int((alive[2] or alive[1]).split()[0])
                assert in_use <= int(reach[1].split()[0]), sentence
    assert seen


def test_number_noun_and_verb_of_every_sentence_agree(sample_runs):
    for run in sample_runs:
        for data in states(run):
            for view in RUN.available_views(run):
                assert not number_faults(caption_of(view, data)), view.id
