"""A core that waits in a stall to the end of its words: every number and picture holds the stall."""

import pytest

from ingest.files import ingest
from samples.trace_words import trace_words
from services.run.data_cache import RunDataCache
from services.run.frames import find_frame
from services.run.perfetto.content import build_trace

START = bytes([0xF0, *bytes(7)])
HELD = 40 * 1023


@pytest.fixture
def hung(repository, tmp_path):
    """Ingest a core whose last sample is slot 1, held by repeats to the end of its stream."""
    stream = START + b"\x09\x10" + b"\xdb\xff" * 40
    words = trace_words({("core", 2, 0): stream})
    (tmp_path / "trace.txt").write_text("".join(f"{word:08x}\n" for word in words))
    return ingest(repository, [tmp_path / "trace.txt"], {}).runs[0].run_id


def test_shares_timeline_and_perfetto_hold_the_level(repository, hung):
    (event,) = find_frame(repository, hung, "events").query("not closed").itertuples()
    track = find_frame(repository, hung, "tracks").iloc[0]
    assert event.end < track["last"] == event.start + HELD
    activity = find_frame(repository, hung, "activity").set_index("name")
    assert activity.loc["slot 1", "busy"] == HELD
    data = RunDataCache(repository).get(hung, "robust", {})
    assert int(data.timeline.events.end.max()) == track["last"]
    ends = [part.end.max() for part in build_trace(repository, hung).slices if len(part.end)]
    clock_ghz = 1.25
    assert max(ends) == pytest.approx(track["last"] / clock_ghz, abs=1)
