"""Series of runs that are named after their folder: they are found by the stem of the file."""

import pytest

from storage.series import captures, captures_until

NIGHTS = [
    {"source": "kineto", "hwid": "A100", "name": name, "stem": stem, "branch": "main"}
    for name, stem in [
        ("trace", None),
        ("2026-11-25", "trace"),
        ("2026-11-26", "trace"),
        ("2026-11-26", "other"),
        ("2026-11-26", None),
    ]
]


@pytest.fixture
def catalogue(opened):
    return opened(*NIGHTS)


def test_dated_folders_are_one_series_with_runs_from_before(catalogue):
    positions = captures(catalogue, {})
    groups = [position.group(unnamed=()) for position in positions]
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups)) == 3
    before = captures_until(catalogue, positions[2], (), "main", 10)
    assert [position.name for position in before] == ["trace", "2026-11-25", "2026-11-26"]
    alone = captures_until(catalogue, positions[4], (), "main", 10)
    assert [position.run_id for position in alone] == [positions[4].run_id]
