"""Comparisons of runs that lack data."""

import pytest

from app.gate_formats import comparison_text
from ingest.files import ingest
from services.comparison.compare import compare

WHOLE = "id,lower,upper,size\na,0,5,4\nb,2,3,9\n"
CUT = "id,lower,upper,size\na,0,5,4\nb,3,2,9\n"
"""A plan with a row that is skipped, since its block ends before it begins."""


@pytest.fixture
def stored(repository, tmp_path):
    """The repository, and the run ids of two whole plans and one that lacks a row."""
    ids = []
    for name, text in (("one", WHOLE), ("two", WHOLE + "c,7,8,1\n"), ("cut", CUT)):
        path = tmp_path / f"{name}.1000.csv"
        path.write_text(text)
        ids.append(ingest(repository, [path], {}).runs[0].run_id)
    return repository, *ids


def test_whole_runs_lack_nothing(stored):
    repository, one, two, _ = stored
    assert not compare(repository, [one], [two]).incomplete


@pytest.mark.parametrize("is_base", [True, False])
def test_the_side_that_lacks_data_is_named_after_the_first_reason(stored, is_base):
    repository, one, _, cut = stored
    sides = ([cut], [one]) if is_base else ([one], [cut])
    result = compare(repository, *sides)
    (words,) = result.incomplete
    assert result.reasons[1] == words
    assert ("base" in words, "1 row" in words) == (is_base, True)


def test_runs_of_a_side_that_lack_data_are_counted(stored):
    repository, one, two, cut = stored
    (words,) = compare(repository, [one], [two, cut]).incomplete
    assert words.startswith("1 of 2 runs")


def test_a_terminal_shows_it_once(stored):
    repository, one, _, cut = stored
    result = compare(repository, [one], [cut])
    lines = comparison_text(result).splitlines()
    assert lines.count(f"  {result.incomplete[0]}") == 1
