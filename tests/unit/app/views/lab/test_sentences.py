"""Every number in the sentences about placements, against the fields of the placements."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from app.pages.lab.binding import open_lab
from app.views.lab.state import LabState
from app.views.lab.words import (
    least_sentence,
    result_sentence,
    running_sentence,
)
from app.views.verdict import verdict
from services.lab.searches import Running
from tests.support.sentences import COUNT, is_written, number_faults, plain

NAMES = (
    *("harbour.81920.solved", "harbour.81920", "gull-L3-l1_10000-MiniMalloc"),
    "lighthouse_bm1684x_f16",
)
EXACT = r"(?:[\d.]+ .iB \()?(\d+) B\)?"
"""Pattern of a size whose bytes are written too."""


@pytest.fixture(params=NAMES)
def data(request, laboratory):
    """The lab of a run with the placements that take no time."""
    context, names = laboratory
    return open_lab(context, names[request.param], LabState())


def test_a_result_has_extent_bound_gap_and_effort_of_its_placement(data):
    for placement in data.placements:
        sentence = plain(result_sentence(data, placement))
        assert not number_faults(sentence)
        extent = re.search(rf"^[\w ]+: {EXACT}", sentence)
        assert int(extent[1]) == placement.extent
        assert int(re.search(rf"\({COUNT} placements?,", sentence)[1]) == placement.effort
        gap = re.search(rf"([\d.]+ %) above the bound of {EXACT}", sentence)
        assert (gap is not None) == (placement.status != "optimal")
        if gap:
            assert int(gap[2]) == placement.bound
            assert is_written(gap[1], placement.extent / placement.bound - 1)


def test_the_least_of_all_results_is_named_once(data):
    least = min(placement.extent for placement in data.placements)
    total = least + data.problem.static_bytes
    sentence = plain(least_sentence(data))
    assert int(re.search(rf"Least that fits: {EXACT}", sentence)[1]) == total
    lowest = [found for found in data.placements if found.extent == least]
    assert ("proved" in sentence) == any(found.status == "optimal" for found in lowest)
    for placement in data.placements:
        if placement.extent > least:
            words = (result_sentence(data, placement), verdict(placement, fits=None))
            assert not any("least" in word.lower() for word in words)


def test_conflicts_before_and_after_are_those_of_the_placements(data):
    for placement in data.placements:
        sentence = plain(result_sentence(data, placement))
        after = re.search(rf"{COUNT} bank conflicts?|No bank conflict", sentence)
        assert (after is None) == (data.conflicts(placement) is None)
        if after:
            assert int(after[1] or 0) == data.conflicts(placement)
            before = re.search(rf"bank conflicts?, (?:{COUNT}|none) ", sentence)
            assert int(before[1] or 0) == data.conflicts_stored


@pytest.mark.parametrize(("extent", "written"), [(2**20 + 1, "less than 0.1 %"), (1100000, None)])
def test_a_gap_never_reads_as_none(data, extent, written):
    found = replace(data.placements[0], status="feasible", extent=extent, bound=2**20, proof=None)
    found = replace(found, gap=extent / 2**20 - 1, effort=1)
    sentence = plain(result_sentence(data, found))
    assert not number_faults(sentence)
    assert "0.0 %" not in sentence
    assert written is None or written in sentence


def test_constants_that_fill_the_capacity_leave_no_room(laboratory):
    context, names = laboratory
    data = open_lab(context, names[NAMES[0]], LabState())
    impossible = replace(data.placements[0], status="infeasible", proof="bound", extent=None)
    asked = SimpleNamespace(capacity=63)
    unknown = SimpleNamespace(conflicts=lambda _: None, conflicts_stored=None, conflicts_bound=None)
    unknown.asked = asked
    unknown.problem = SimpleNamespace(static_bytes=64)
    sentence = plain(result_sentence(unknown, impossible))
    assert re.findall(r"(\d+) B", sentence) == ["64", "63"]


@pytest.mark.parametrize("effort", [0, 1, 20_000])
def test_a_running_search_counts_its_placements(effort):
    place = ("key", "run", "best_fit", 0, 1, "")
    running = Running(*place, effort, 2.0, extent=100, bound=90, trace=(), stopping=False)
    sentence = plain(running_sentence(running))
    assert not number_faults(sentence)
    assert int(re.search(rf"{COUNT} placements?", sentence)[1]) == effort
