"""The first sentence of a capture in which a core waits to the end."""

import json

from app.views.run_words import first_sentence
from app.views.state import RunState
from components.caption import Caption, Jump, joined_captions
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.numbers_in_text import has_numbers, numbers_in


def test_the_page_of_a_hang_begins_with_it(settings, tmp_path):
    entries = [
        {
            "name": "process_name",
            "ph": "M",
            "pid": pid,
            "args": {"name": f"core_trace for tile2,{pid}"},
        }
        for pid in (0, 1)
    ]
    for pid, kernels in ((0, 20), (1, 3)):
        for start in range(100, 100 + 200 * kernels, 200):
            for name, ts in (("INSTR_EVENT_0", start), ("INSTR_EVENT_1", start + 90)):
                entries += [
                    {"name": name, "ph": ph, "ts": ts + (ph == "E"), "pid": pid, "tid": 0}
                    for ph in "BE"
                ]
    entries.append({"name": "LOCK_STALL", "ph": "B", "ts": 1_000, "pid": 1, "tid": 2})
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(entries))
    repository = settings.repository()
    run = ingest(repository, [path], {}).runs[0]
    (said,) = [finding.message for finding in run.diagnostics if finding.code == "open_at_end"]
    assert has_numbers(said, "2", "1", "1000")
    sentence = first_sentence(RunDataCache(repository).get(run.run_id, "robust", {}), RunState())
    assert sentence.startswith("Core 2,1 ")
    assert "LOCK_STALL" in sentence.split(",", 2)[1]
    assert Jump("Core 2,1", "track", "core 2,1") in sentence.jumps


def test_joined_captions_keep_their_links():
    first, second = (
        Caption("Core 2,1 waits.", Jump("Core 2,1", "track", "core 2,1")),
        Caption("Best: iteration 3."),
    )
    assert numbers_in(joined_captions(first, "", second)) == ["2", "1", "3"]
    assert joined_captions(first, second).jumps == first.jumps
    assert joined_captions("", "") == ""
