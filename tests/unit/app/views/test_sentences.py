"""Every number in the sentences of the views of the samples, against the frames that it is from."""

import re

import numpy as np
import pytest

from app.views.registry import RUN
from app.views.run_words import first_sentence
from app.views.state import RunState
from components.kernels.step_words import FILL_LABELS
from services.run.capabilities import Capability
from services.run.plan import plan_mapping
from tests.support.sentence_numbers import (
    Shown,
    at_peak,
    capacity,
    caption,
    caption_of,
    complete_iterations,
    cycles,
    device_peak,
    extent,
    failed_on_the_way,
    fullest_tiling,
    heavy_kernels,
    kernel_numbers,
    left_out,
    level_needs,
    level_traffic,
    level_unknown,
    live_bytes,
    peak_step,
    planned_level,
    run_numbers,
    severities,
    shown_attempt,
    stall_share,
    states,
    timed_cores,
    used_bytes,
    wait_cycles,
)
from tests.support.sentences import COUNT as N
from tests.support.sentences import QUANTITY as Q
from tests.support.sentences import is_written, number_faults, plain, union_bytes

MAP = (Capability.ADDRESSES,)
LEVELS = (Capability.TILING, Capability.MEMORY)
LOG = (Capability.ADDRESSES, Capability.LAYER_GROUPS)
ARRAY = (Capability.ITERATIONS,)
PROFILE = (Capability.NAMED_KERNELS,)
ROWS = {
    MAP: [
        (
            "map",
            rf"(?:fits|fit): {Q} of {Q} \({Q}\)",
            lambda data: (used_bytes(data), capacity(data), used_bytes(data) / capacity(data)),
        ),
        (
            "live",
            rf"ost is alive at step {N}: {Q}",
            lambda data: (peak_step(data), max(live_bytes(data).values())),
        ),
        (
            "live",
            rf"ost is alive at step \d+: \d+ B in {Q} of",
            lambda data: (union_bytes(at_peak(data)),),
        ),
        ("live", rf"addresses reach {Q}", lambda data: (extent(data),)),
        (
            "live",
            rf"addresses reach \d+ B, {Q} over the bound",
            lambda data: (extent(data) - shown_attempt(data)[0]["bound"],),
        ),
        (
            "alive",
            rf"the peak: {N} blocks?, {Q}",
            lambda data: (len(at_peak(data)), at_peak(data)["size"].sum()),
        ),
        (
            "alive",
            rf"the peak: .* of {Q} \({Q}\)",
            lambda data: (
                capacity(data),
                (union_bytes(at_peak(data)) + shown_attempt(data)[0]["static_bytes"])
                / capacity(data),
            ),
        ),
        ("packing", rf"lower bound {Q}", lambda data: (shown_attempt(data)[0]["bound"],)),
        (
            "attempts",
            rf"^{N} attempts?,",
            lambda data: (data.frame("attempts")["level"].isna().sum(),),
        ),
        (
            "attempts",
            rf"attempts, {N} failed",
            lambda data: ((data.frame("attempts")["outcome"].astype("str") == "failed").sum(),),
        ),
        (
            "attempts",
            rf"{N} final of {N} layer groups",
            lambda data: (
                data.frame("attempts")["final"].fillna(False).astype(bool).sum(),
                data.frame("attempts")["group"].nunique(),
            ),
        ),
        (
            "attempts",
            rf"^{N} memory levels?\.",
            lambda data: (data.frame("attempts")["level"].nunique(),),
        ),
        ("timesteps", rf"{N} of {N} steps? DMA-bound: {N} of {N} cycles \({Q}\)", wait_cycles),
        (
            "timesteps",
            rf"every transfer, {N} cycles in all",
            lambda data: (np.maximum(*cycles(data)).sum(),),
        ),
        (
            "groups",
            rf"^{N} layer groups? in {N} attempts?",
            lambda data: (data.frame("attempts")["group"].nunique(), len(data.frame("attempts"))),
        ),
    ],
    ARRAY: [
        ("durations", rf"^Median {N} cycles.*?, p95 {N} over {N} ", kernel_numbers),
        ("durations", rf"{N} of {N} kernels left out", left_out),
        ("durations", rf"{N} kernels, none left out", lambda data: (left_out(data)[1],)),
        ("iterations", rf"{N} perf iterations?", lambda data: (len(complete_iterations(data)),)),
        (
            "floorplan",
            rf"^{N} cores? traced",
            lambda data: ((data.frame("tracks")["kind"].astype("str") == "core").sum(),),
        ),
        ("stalls", rf"takes {Q} of traced time", lambda data: (stall_share(data),)),
        (
            "waterfall",
            rf"^{Q} of \d[\d.]* GMAC/s \({N} cores?, {N} iterations?\)",
            lambda data: (
                data.headline["gmacs_mean"],
                timed_cores(data),
                len(complete_iterations(data)),
            ),
        ),
        ("first", rf"\({N} cores timed\)", lambda data: (timed_cores(data),)),
    ],
    PROFILE: [
        ("durations", rf"^{N} runs: median {Q}, p95 {Q}; the longest, {Q},", run_numbers),
        ("kernels", rf"^{N} kernels? of {N} takes? {Q} of {Q} ", heavy_kernels),
        ("live", rf"needs the most at .*?: {Q}", lambda data: (device_peak(data),)),
    ],
    LEVELS: [
        ("network", rf"ll {N} operators fit into (?:[\d.]+ .iB \()?{Q}\)? of L1", level_needs),
        ("network", rf"move {Q}, {Q} in and {Q} out", level_traffic),
        ("network", rf"without {N} of {N} operators", level_unknown),
        (
            "sweep",
            rf"^{N} of {N} capacit",
            lambda data: (
                sum(one["feasible"] for one in planned_level(data)["sweep"]),
                len(planned_level(data)["sweep"]),
            ),
        ),
        (
            "joint",
            rf"^{N} of {N} pairs?",
            lambda data: (
                sum(one["feasible"] for one in plan_mapping(data.data, None, ())["joint"]),
                len(plan_mapping(data.data, None, ())["joint"]),
            ),
        ),
        ("tiling", rf"most(?:, each)?,? {Q} of its {Q}", fullest_tiling),
    ],
    LOG: [
        (
            "log",
            rf"failed? for good; {N} attempts? failed on the way",
            lambda data: (failed_on_the_way(data),),
        ),
    ],
    (): [
        ("health", rf"{N} warnings?", lambda data: severities(data)[1:2]),
        ("health", rf"{N} notes?", lambda data: severities(data)[2:]),
    ],
}
"""Needs of a run -> its sentences: view, pattern with a group per number, and the numbers.

Several rows may be about one sentence, and a sentence may lack a part.
"""


@pytest.mark.parametrize(
    ("needs", "view", "pattern", "numbers"),
    [(needs, *row) for needs, rows in ROWS.items() for row in rows],
)
def test_the_numbers_of_a_sentence_are_those_of_its_frame(
    sample_runs, needs, view, pattern, numbers
):
    runs = [run for run in sample_runs if run.can(*needs)]
    seen = [check_row(data, view, pattern, numbers) for run in runs for data in states(run)]
    assert any(seen), "no sample has such a sentence"


def check_row(data, view, pattern, numbers):
    """Compare the numbers of a row, return whether the run's sentence has them."""
    sentence = plain(caption(data, view))
    found = re.search(pattern, sentence)
    if found is None:
        return False
    expected = [float(number) for number in numbers(data)]
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
            int, re.search(rf"tile: {N} of {N} (?:operator|tiling)s?", sentence).groups()
        )
        unknown = re.search(rf"the tiles of {N} more", sentence)
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
            alive = re.search(rf"alive at step \d+: {Q}(?: in {Q})?", sentence)
            reach = re.search(rf"addresses reach {Q}", sentence)
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


def test_findings_and_first_sentences_have_the_same_spelling_of_numbers(sample_runs):
    messages = 0
    for run in sample_runs:
        assert not number_faults(first_sentence(run, RunState()))
        for message in run.diagnostics["message"]:
            assert not number_faults(str(message))
            messages += 1
    assert messages
