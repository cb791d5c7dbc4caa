"""Answers about the list of runs are made once, until a run changes."""

import pytest

from services.store.runs_list import MAX_FACET_VALUES, RunsList
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter, RunQuery
from tests.support.runs import catalogue_of, delete_run, record_of, stored_of


@pytest.fixture
def catalogue(tmp_path):
    rows = [
        {"hwid": "npu1", "gmacs_mean": 1.0},
        {"hwid": "npu2", "M": 256},
        {"hwid": "", "M": None},
    ]
    made = catalogue_of(f"sqlite:///{tmp_path}/catalogue.db", *rows)
    yield made
    made.close()


@pytest.fixture
def asked(monkeypatch):
    """The statements that are sent to the database, but for the version's."""
    sent, rows = [], RunList._rows

    def counting(self, statement, values=None):
        if "listing_state" not in str(statement):
            sent.append(str(statement))
        return rows(self, statement, values)

    monkeypatch.setattr(RunList, "_rows", counting)
    return sent


def ask(runs, fits=EVERY_RUN):
    answers = runs.now()
    groups, hwids = answers.groups(fits), answers.hwids()
    return answers.page(RunQuery(fits)), answers.counts(fits), answers.facets(fits), groups, hwids


@pytest.mark.slow
def test_the_same_question_is_asked_once(catalogue, asked):
    runs = RunsList(catalogue)
    first = ask(runs)
    sent = len(asked)
    assert sent
    assert ask(runs) == first
    assert len(asked) == sent
    ask(runs, RunFilter(hwid=("npu1",)))
    assert len(asked) > sent


def test_a_change_by_another_process_makes_other_answers(catalogue):
    runs = RunsList(catalogue)
    assert ask(runs)[1].totals.runs == 3
    other = Catalogue(catalogue.address)
    other.insert(stored_of(record_of(9)))
    assert ask(runs)[1].totals.runs == 4
    delete_run(other, f"{9:064x}")
    other.close()
    page, counts, *_ = ask(runs)
    assert (len(page.runs), counts.totals.runs) == (3, 3)


def test_few_values_stay_in_sight_without_runs_and_numbers_are_in_order(catalogue):
    facets = RunsList(catalogue).now().facets(RunFilter(hwid=("npu2",), M=("64",)))
    assert facets["hwid"].values == [("npu1", 1), ("npu2", 0), ("", 0)]
    assert facets["M"].values == [("64", 0), ("256", 1), ("", 0)]
    assert not facets["M"].partial


def test_a_chosen_value_that_no_run_has_stays_in_sight(catalogue):
    assert ("npu9", 0) in RunsList(catalogue).now().facets(RunFilter(hwid=("npu9",)))["hwid"].values


@pytest.mark.slow
def test_of_many_values_the_most_frequent_and_the_chosen_are_listed(tmp_path):
    rows = [
        {"hwid": f"board{rank:03d}", "created_at": "2026-11-01"}
        for rank in range(MAX_FACET_VALUES + 5)
    ]
    catalogue = catalogue_of(f"sqlite:///{tmp_path}/catalogue.db", *rows, rows[-1])
    answers = RunsList(catalogue).now()
    hwid = answers.facets(EVERY_RUN)["hwid"]
    assert hwid.partial
    assert (len(hwid.values), hwid.known) == (MAX_FACET_VALUES, MAX_FACET_VALUES + 5)
    assert (rows[-1]["hwid"], 2) in hwid.values
    missing = f"board{MAX_FACET_VALUES + 3:03d}"
    assert missing not in dict(hwid.values)
    assert (missing, 1) in answers.facets(RunFilter(hwid=(missing,)))["hwid"].values
    assert answers.facets(EVERY_RUN, {"hwid": missing})["hwid"].values == [(missing, 1)]
    catalogue.close()


def test_an_empty_catalogue_has_no_facets(tmp_path):
    answers = RunsList(Catalogue(f"sqlite:///{tmp_path}/none.db")).now()
    assert all(facet.values == [] for facet in answers.facets(EVERY_RUN).values())
    assert answers.page(RunQuery()).runs == []
