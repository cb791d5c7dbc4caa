"""Devices of a caching allocator: their numbers, their headline, and findings that addresses cannot give."""

import pandas as pd
import pytest

from analysis.derive import derive
from analysis.headline import headline
from analysis.memory.allocator import main_device
from analysis.memory.headline import headline_attempt
from schema.allocated_findings import allocated_findings
from schema.diagnostics import diagnostics_frame
from schema.frames import FRAMES, frame_of_records
from tests.support.torch_snapshots import BASE, alloc, block, entry, freed, read, segment

MIB = 2**20


def stored(reading):
    """Return the frames of a snapshot as they are stored."""
    blank = {column.name: None for column in FRAMES["run"].columns}
    row = blank | reading.metadata | {"source": "torch_snapshot"}
    findings = diagnostics_frame(reading.findings)
    return {**reading.frames, "run": pd.DataFrame([row]), "diagnostics": findings}


def derived(reading, capacity=None):
    frames = stored(reading)
    overrides = {} if capacity is None else {"capacity": str(capacity)}
    return {**frames, **derive(frames, "robust", overrides)}


def known(frames):
    return {name: value for name, value in headline(frames).items() if value is not None}


@pytest.fixture
def given_back():
    """A segment that is given back, then another one: their addresses never existed together."""
    size = 20 * MIB
    far = 64 * MIB
    kept = block(16 * MIB, requested_size=16 * MIB, address=BASE + far)
    trace = [
        entry("segment_alloc", 0, size),
        alloc(0, 16 * MIB),
        freed(0, 16 * MIB),
        entry("segment_free", 0, size),
        entry("segment_alloc", far, size),
        alloc(far, 16 * MIB),
    ]
    last = segment(kept, total=size) | {"address": BASE + far}
    return read([last], trace)


def test_addresses_that_never_existed_together_are_no_extent(given_back):
    frames = derived(given_back)
    row = frames["attempts"].iloc[0]
    assert row[["extent", "waste", "utilization", "fragmentation", "capacity"]].isna().all()
    assert row["live_peak"] == 16 * MIB
    assert known(frames) == {"peak_memory": 16 * MIB, "peak_reserved": 20 * MIB, "findings": 0}


def test_a_capacity_gives_shares_of_what_is_allocated(given_back):
    frames = derived(given_back, 32 * MIB)
    numbers = known(frames)
    assert frames["attempts"]["utilization"].tolist() == [0.5]
    assert (numbers["capacity_use"], numbers["memory_capacity"]) == (0.5, 32 * MIB)
    assert "capacity_exceeded" not in set(frames["diagnostics"]["code"])


def test_more_reserved_than_the_capacity_is_an_error(given_back):
    found = derived(given_back, 18 * MIB)["diagnostics"].set_index("code")
    assert found.loc["capacity_exceeded", ["severity", "location"]].tolist() == ["error", "cuda:0"]
    assert str(20 * MIB) in found.loc["capacity_exceeded", "message"]


@pytest.mark.parametrize(
    ("reserved", "is_found"), [(30, False), (20, True), (0, False), (None, False)]
)
def test_more_allocated_than_reserved_is_found(reserved, is_found):
    rows = {"device": ["cuda:0", "cuda:1"], "peak_allocated": [30, None]}
    frame = pd.DataFrame(rows | {"peak_reserved": [reserved, 10]}).convert_dtypes()
    found = allocated_findings(frame)
    assert [finding.code for finding in found] == ["reserved_exceeded"] * is_found
    assert all("30 of 20 bytes" in finding.message for finding in found)


def test_blocks_that_share_bytes_are_still_found():
    reading = read([], [alloc(0, 1000), alloc(512, 1000)])
    assert "block_overlap" in set(derived(reading)["diagnostics"]["code"])


def test_the_device_with_the_highest_peak_is_the_headline():
    segments = [segment(device=0, total=2 * MIB), segment(device=1, total=9 * MIB)]
    reading = read(segments, [alloc(0, MIB)], [alloc(0, 8 * MIB)])
    frames = derived(reading)
    assert known(frames)["peak_memory"] == 8 * MIB
    assert known(frames)["peak_reserved"] == 9 * MIB
    assert headline_attempt(frames["attempts"]) == 1


def test_without_a_history_the_peak_is_unknown():
    frames = derived(read([segment(block(512, requested_size=70))], []))
    assert {"peak_memory", "peak_reserved", "capacity_use"}.isdisjoint(known(frames))


def test_the_host_counts_only_alone():
    def device(name, peak):
        return {"device": name, "peak_allocated": peak, "entries": 1, "end_allocated": 0}

    def main(*rows):
        found = main_device(frame_of_records("device_memory", rows))
        return None if found is None else found["device"]

    assert main(device("cpu", 9), device("cuda:0", 5), device("cuda:1", 5)) == "cuda:0"
    assert main(device("cpu", 9)) == "cpu"
    assert main() is None
