"""Kernels that the selection covers in a capture of several slices."""

from types import SimpleNamespace

import pytest

from analysis.aie.tiles import tile_table
from analysis.derive import derive
from analysis.selection import Selection
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from app.views.aie.panels import stalls_panel
from app.views.selected import compared_slice, selected_kernels
from app.views.state import RunState
from components.aie.captions import floorplan_caption
from components.aie.slices import slice_caption
from components.timeline.overview import overview
from schema.frames import empty
from services.run.capabilities import Capability
from tests.support.sliced_capture import SLICES, sliced

SECOND = "core 2,0 #2"


def capture():
    """Return the derived frames of a capture as the views read them."""
    stored = sliced()
    made = {**stored, **derive(stored)}
    return SimpleNamespace(**made, can=lambda name: name == Capability.ITERATIONS)


@pytest.mark.slow
def test_without_a_selected_tile_kernels_are_those_of_one_slice():
    data = capture()
    assert compared_slice(data) == SLICES[0]
    covered = selected_kernels(data, Selection())["track"].astype(str)
    assert sorted(set(covered)) == ["core 2,0", "core 3,0"]
    every = selected_kernels(data, Selection(), all_slices=True)["track"].astype(str)
    assert sorted(set(every)) == ["core 2,0", SECOND, "core 3,0"]
    own = selected_kernels(data, Selection(track=SECOND))["track"].astype(str)
    assert set(own) == {SECOND}


@pytest.mark.slow
def test_sentences_name_the_slice_whose_cores_they_compare():
    data = capture()
    frames = (data.tracks, data.kernels, data.iterations, data.activity, data.diagnostics)
    caption = floorplan_caption(tile_table(*frames), of_slice=SLICES[0])
    assert caption.startswith("2 cores traced")
    assert SLICES[0] in caption
    assert SECOND not in caption
    assert all(name in slice_caption(data.tracks, data.iterations) for name in SLICES)


@pytest.mark.slow
def test_stall_shares_are_those_of_the_named_slice_until_a_tile_is_selected():
    data = capture()
    panel = stalls_panel(data, RunState(), "light")
    assert SLICES[0] in panel.caption
    assert SECOND not in panel.caption
    chosen = stalls_panel(data, RunState().selecting(track=SECOND), "light")
    assert SLICES[0] not in chosen.caption


def late(figure):
    """Sum the shares of kernels in the second half of the bins, when only the slow slice runs."""
    shares = figure.data[0]["y"]
    return sum(shares[len(shares) // 2 :])


def test_the_overview_counts_only_the_named_cores():
    stored = sliced()
    frames = {"markers": empty("markers"), **stored, **derive(stored)}
    data = TimelineData.of(LaneIndex.of_events(frames["events"]), frames)
    first = overview(data, Selection(), "light", cores=["core 2,0", "core 3,0"])
    every = overview(data, Selection(), "light")
    assert late(first) == 0 < late(every)
