"""Kernels that the selection covers in a capture of several slices."""

from types import SimpleNamespace

from analysis.aie.tiles import tile_table
from analysis.derive import derive
from analysis.selection import Selection
from app.views.selected import compared_slice, selected_kernels
from components.aie.captions import floorplan_caption
from components.aie.slices import slice_caption
from services.run.capabilities import Capability
from tests.support.sliced_capture import SLICES, sliced

SECOND = "core 2,0 #2"


def capture():
    """Return the derived frames of a capture as the views read them."""
    stored = sliced()
    made = {**stored, **derive(stored)}
    return SimpleNamespace(**made, can=lambda name: name == Capability.ITERATIONS)


def test_without_a_selected_tile_kernels_are_those_of_one_slice():
    data = capture()
    assert compared_slice(data) == SLICES[0]
    covered = selected_kernels(data, Selection())["track"].astype(str)
    assert sorted(set(covered)) == ["core 2,0", "core 3,0"]
    every = selected_kernels(data, Selection(), all_slices=True)["track"].astype(str)
    assert sorted(set(every)) == ["core 2,0", SECOND, "core 3,0"]
    own = selected_kernels(data, Selection(track=SECOND))["track"].astype(str)
    assert set(own) == {SECOND}


def test_sentences_name_the_slice_whose_cores_they_compare():
    data = capture()
    frames = (data.tracks, data.kernels, data.iterations, data.activity, data.diagnostics)
    caption = floorplan_caption(tile_table(*frames), of_slice=SLICES[0])
    assert caption.startswith("2 cores traced")
    assert SLICES[0] in caption
    assert SECOND not in caption
    assert all(name in slice_caption(data.tracks, data.iterations) for name in SLICES)
