"""Views of a snapshot's devices: allocated and reserved bytes, and neither extent nor capacity out of addresses."""

import pickle

import pytest

from app.config.settings import Settings
from app.views.memory.allocator import ALLOCATED, DEVICES
from app.views.memory.attempts import LEVELS
from app.views.memory.panels import LIVE, MAP
from app.views.registry import RUN, parse
from app.views.run_words import first_sentence, strip_metrics
from app.views.state import RunState
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.numbers_in_text import has_numbers
from tests.support.torch_snapshots import BASE, alloc, block, entry, freed, segment

SMALL, LARGE, FAR = 4096, 65_536, 1 << 20


def write_snapshot(folder):
    """Write a snapshot of two devices; the second gives a segment back and gets another one."""
    kept = block(6000, requested_size=6000, address=BASE + FAR)
    trace = [
        entry("segment_alloc", 0, LARGE),
        alloc(0, 50_000),
        freed(0, 50_000),
        entry("segment_free", 0, LARGE),
        entry("segment_alloc", FAR, LARGE),
        alloc(FAR, 6000),
    ]
    last = segment(kept, device=1, total=LARGE) | {"address": BASE + FAR}
    content = {
        "segments": [segment(total=SMALL), last],
        "device_traces": [[alloc(0, 700), freed(0, 700)], trace],
    }
    path = folder / "two.pickle"
    path.write_bytes(pickle.dumps(content, 4))
    return path


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return Settings(data=tmp_path_factory.mktemp("store")).repository()


@pytest.fixture(scope="module")
def opened(repository, tmp_path_factory):
    """Return a function that gives the data of the snapshot with changed settings."""
    (run,) = ingest(repository, [write_snapshot(tmp_path_factory.mktemp("files"))], {}).runs
    cache = RunDataCache(repository)
    return lambda **overrides: cache.get(run.run_id, "robust", overrides)


def curves(figure):
    return [trace for trace in figure.data if trace.name]


@pytest.mark.slow
def test_the_curves_are_allocated_and_reserved_bytes(opened):
    panel = ALLOCATED.draw(opened(), RunState(), "light")
    names = [trace.name for trace in curves(panel.figure)]
    assert names == ["reserved", "allocated"] * 2
    reserved, allocated = curves(panel.figure)[2:]
    assert tuple(reserved.y)[:3] == (LARGE, LARGE, LARGE)
    assert min(reserved.y) == 0
    assert max(allocated.y) == 50_000
    assert has_numbers(panel.caption, "50 000 B", "65 536 B")


@pytest.mark.slow
def test_a_capacity_is_drawn_with_the_curves_and_not_with_addresses(opened):
    data = opened(capacity="100KiB")
    figure = ALLOCATED.draw(data, RunState(), "light").figure
    assert any(trace.name.startswith("capacity") for trace in curves(figure))
    texts = [note.text for note in MAP.draw(data, RunState(), "light").figure.layout.annotations]
    assert not any("capacity" in text for text in texts)


@pytest.mark.slow
def test_without_a_capacity_no_text_has_a_share(opened):
    data = opened()
    for view in (MAP, ALLOCATED):
        panel = view.draw(data, RunState(), "light")
        notes = [note.text for note in panel.figure.layout.annotations or []]
        assert not any("%" in text for text in (panel.caption, panel.line, *notes))
    assert "%" not in first_sentence(data, RunState())
    assert not {"capacity_use", "memory_waste", "fragmentation"} & set(strip_metrics(data))
    assert data.headline["memory_capacity"] is None


def test_the_map_and_the_sentence_are_about_the_device_with_the_highest_peak(opened):
    caption = MAP.draw(opened(), RunState(), "light").caption
    assert "cuda:1" in caption and has_numbers(caption, "50 000 B")
    assert "cuda:1" in first_sentence(opened(), RunState())


@pytest.mark.slow
def test_a_built_in_allocator_has_an_extent(opened):
    caption = MAP.draw(opened(), parse("layout=best_fit"), "light").caption
    assert has_numbers(caption, "50 000 B")
    assert caption.count("allocated at once") == 0


def test_devices_are_no_levels_of_a_plan(opened):
    views = RUN.available_views(opened())
    assert DEVICES in views and ALLOCATED in views
    assert LEVELS not in views and LIVE not in views


def test_devices_have_their_bytes_and_a_click_shows_one(opened):
    part = DEVICES.make(opened(), RunState())
    assert "cuda:1" in part.caption
    rows = {row["device"]: row for row in part.body.rowData}
    assert rows["cuda:1"]["peak_allocated"] == 50_000
    assert (rows["cuda:1"]["peak_reserved"], rows["cuda:1"]["end_reserved"]) == (LARGE, LARGE)
    assert rows["cuda:0"]["share"] == 700 / 50_000
    (table,) = DEVICES.tables(opened(), RunState())
    assert [row[0] for row in table.rows] == ["cuda:0", "cuda:1"]
    clicked = DEVICES.grid.on_cell(RunState(), opened(), 0, "device")
    assert "cuda:0" in MAP.draw(opened(), clicked, "light").caption
