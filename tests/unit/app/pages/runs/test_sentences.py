"""The counts of the list of runs, of its filters and its groups, against the rows of the catalogue."""

import re

import pytest

from app.config.settings import Settings
from app.context import AppContext
from app.pages.runs.listed import select_all_words, shown_line
from app.pages.runs.state import RunsState
from components.runs.facets import facet_options
from components.runs.groups_grid import groups_line
from tests.support.runs import catalogue_of
from tests.support.sentences import COUNT, number_faults, plain

ROWS = [
    {"hwid": hwid, "run_id": f"{at + 1:064x}", "M": size, "K": size, "N": size}
    for at, (hwid, size) in enumerate([("a", 64), ("a", 64), ("b", 32), ("", None)])
]


@pytest.fixture
def listing(tmp_path):
    """The queries of a list with four runs, one without hwid and size."""
    folder = tmp_path / "data"
    folder.mkdir()
    catalogue_of(f"sqlite:///{folder}/catalogue.db", *ROWS).close()
    context = AppContext.of(Settings(data=folder))
    return context.runs.now()


STATES = [
    RunsState(),
    RunsState(hwid=("a",)),
    RunsState(hwid=("b",)),
    RunsState(hwid=("",)),
    RunsState(hwid=("nothing",)),
]


def fitting(state):
    return [row for row in ROWS if not state.hwid or row["hwid"] in state.hwid]


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.hwid) or "all")
def test_the_line_counts_the_runs_that_fit(listing, state):
    line = plain(shown_line(listing, state))
    rows = fitting(state)
    counts = re.match(rf"{COUNT}(?: of {COUNT})? runs?", line)
    assert int(counts[1]) == len(rows)
    assert int(counts[2] or len(rows)) == len(ROWS)
    hwids = re.search(rf"{COUNT} hwids?", line)
    assert (int(hwids[1]) if hwids else 0) == len({row["hwid"] for row in rows} - {""})
    button = plain(select_all_words(listing, state))
    assert [int(digits) for digits in re.findall(r"\d+", button)] == [len(rows)]
    assert not number_faults(line) and not number_faults(button)


@pytest.mark.parametrize(("groups", "runs", "sized"), [(0, 1, 0), (1, 1, 1), (2, 5, 4), (2, 9, 2)])
def test_the_line_of_groups_counts_the_runs_outside_of_them(groups, runs, sized):
    line = plain(groups_line(groups, runs, sized, groups))
    assert not number_faults(line)
    assert int((re.match(COUNT, line) or [0, 0])[1]) == groups
    left = re.search(rf"{COUNT} runs? without", line)
    assert (int(left[1]) if left else 0) == runs - sized


def test_values_of_a_facet_are_spoken_with_their_counts(listing):
    counts = listing.facets(RunsState().fits)["hwid"].values
    for option, (value, count) in zip(facet_options(counts), counts, strict=True):
        label = getattr(option["label"].children[1], "aria-label")
        assert not number_faults(label)
        assert int(re.search(rf"{COUNT} runs?", label)[1]) == count
        assert count == sum(row["hwid"] == value for row in ROWS)
