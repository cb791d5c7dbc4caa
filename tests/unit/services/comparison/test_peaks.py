"""Comparison of peaks: parts of both sides in the result, on the page, and none without maps."""

import pytest

from app.views.comparison.peaks import PEAK, peak_part, peak_tables
from app.views.comparison.state import CompareState
from components.comparison.peak_parts_table import peak_parts_caption
from schema.choices import METHODS
from services.comparison.compare import compare
from services.run.data_cache import RunDataCache
from services.run.peak import find_peaks

COMPARED = ["problem larger", "compile larger", "deeploy itself", "profile slow"]


def compared(pairs, pair):
    return compare(pairs.repository, *pairs.runs(pair)).record()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("pair", COMPARED)
def test_parts_of_both_sides_sum_to_the_peaks(pairs, pair):
    record = compared(pairs, pair)
    whole, *parts = record["peak"]["parts"]
    for side in ("base", "new", "change"):
        assert sum(part[side] for part in parts) == whole[side]
    assert [part["new"] - part["base"] for part in parts] == [part["change"] for part in parts]
    cache = RunDataCache(pairs.repository)
    for side in ("base", "new"):
        run_id = record["peak"]["runs"][side]
        (first, *_) = find_peaks(cache.get(run_id, METHODS[0], {}))
        assert first.parts.peak == whole[side]
        assert {part["name"]: part[side] for part in parts} == first.parts.parts


@pytest.mark.slow
def test_a_peak_of_places_is_not_compared_with_bytes_alive(pairs):
    assert "peak" not in compared(pairs, "problem unsolved")
    assert peak_tables(pairs.data("problem unsolved"), CompareState()) == []


@pytest.mark.parametrize("pair", ["aie slow"])
def test_runs_without_maps_have_no_peak(pairs, pair):
    assert "peak" not in compared(pairs, pair)
    assert not pairs.data(pair).can(*PEAK.needs)


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("pair", COMPARED)
def test_the_page_has_the_same_rows(pairs, pair):
    data = pairs.data(pair)
    (table,) = peak_tables(data, CompareState())
    rows = compared(pairs, pair)["peak"]["parts"]
    assert len(table.rows) == len(rows)
    part = peak_part(data, CompareState())
    assert part.body is not None
    given = [(row["name"], row["base"], row["new"]) for row in rows]
    assert part.caption.startswith(peak_parts_caption(given))
