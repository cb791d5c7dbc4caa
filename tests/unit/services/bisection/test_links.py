"""Links of regressions: to their bisection if it was started, else to the form."""

from dataclasses import replace

import pytest

from analysis.bisection.address import start_address
from analysis.comparison.status_row import Since
from services.bisection.bisections import Request, start
from services.bisection.links import bisection_address
from tests.support.bisected_store import COMMITS, add_runs
from tests.support.code_host_messages import row


@pytest.fixture
def ends(repository):
    """The runs of the good and the bad commit, and a regression between them."""
    good, bad = add_runs(repository, (0, len(COMMITS) - 1))
    made = row(commit=COMMITS[-1])
    since = made.since
    moments = (
        replace(since.last_good, run_id=good, commit=COMMITS[0]),
        replace(since.first_bad, run_id=bad, commit=COMMITS[-1]),
    )
    return bad, replace(made, since=replace(since, last_good=moments[0], first_bad=moments[1]))


def test_a_link_leads_to_the_form_until_the_bisection_is_started(repository, ends):
    run, regression = ends
    assert bisection_address(repository, regression) == start_address(regression) != ""
    stored = start(repository, Request(run, COMMITS[0], COMMITS[-1], COMMITS), "ann")
    assert bisection_address(repository, regression) == f"/bisect/{stored.bisection_id}"


def test_a_regression_without_a_good_commit_has_no_link(repository, ends):
    _, regression = ends
    assert bisection_address(repository, replace(regression, since=None)) == ""


def test_a_deleted_run_leads_to_the_form(repository, ends):
    _, regression = ends
    since = replace(regression.since.first_bad, run_id="e" * 64)
    gone = replace(regression, since=Since(regression.since.last_good, since, 2))
    assert bisection_address(repository, gone) == start_address(gone)
