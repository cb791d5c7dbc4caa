"""Pages of bisections: viewers read, editors start and skip, runs advance them."""

import json

import pytest

from services.bisection.bisections import Request, find_bisection, start
from storage.audit import Audit
from storage.bisections import Bisections
from tests.support.bisected_store import COMMITS, add_run, add_runs

ENDS = (0, len(COMMITS) - 1)


@pytest.fixture
def repository(context):
    return context.repository


@pytest.fixture
def run(repository):
    return add_runs(repository, ENDS)[0]


@pytest.fixture
def bisection_id(repository, run):
    request = Request(run, COMMITS[0], COMMITS[-1], COMMITS)
    return start(repository, request, "ann").bisection_id


def next_of(repository, bisection_id):
    return find_bisection(repository.catalogue, bisection_id).next_commit


def actions(repository):
    return [(entry.user, entry.action) for entry in Audit(repository.catalogue).entries()]


def begin(client, run, **given):
    form = {"run": run, "good": COMMITS[0], "bad": COMMITS[-1], "metric": "usual"}
    form |= {"commits": "\n".join(COMMITS)} | given
    values = {f"bisect-field-{name}.value": value for name, value in form.items()}
    return client.post("bisect-goto.href", **{"bisect-start.n_clicks": 1}, **values)


def press(client, repository, bisection_id, commit, button="skip"):
    kind = f"bisection-{button}"
    changed = json.dumps({"commit": commit, "type": kind}, separators=(",", ":")) + ".n_clicks"
    shown = [bisection_id, "light", "another version"]
    values = {kind: {commit: 1}, "bisection-shown.data": shown}
    return client.post("bisection-body.children", changed=changed, **values)


def poll(client, shown):
    values = {"bisection-clock.n_intervals": 1, "bisection-shown.data": shown}
    return client.post("bisection-body.children", **values)


@pytest.mark.parametrize(("name", "is_editor"), [("edgar", True), ("victor", False)])
def test_a_page_has_the_plan_and_editors_may_skip(
    signed_in, repository, bisection_id, name, is_editor
):
    page = signed_in(name).open(f"/bisect/{bisection_id}")
    commit = next_of(repository, bisection_id)
    assert f"--set commit={commit}" in page
    assert "bisection-plot" in page
    assert ('"type": "bisection-skip"' in page) == is_editor


@pytest.mark.parametrize(("name", "is_editor"), [("edgar", True), ("victor", False)])
def test_the_list_has_a_form_for_editors_and_a_command_for_all(
    signed_in, run, bisection_id, name, is_editor
):
    search = f"?run={run}&good={COMMITS[0]}&bad={COMMITS[-1]}&metric=gmacs_mean"
    page = signed_in(name).open("/bisect", search)
    assert ("bisect-start" in page) == is_editor
    assert f"bisect --key {run} --good {COMMITS[0]} --bad {COMMITS[-1]}" in page
    assert page.count(f"/bisect/{bisection_id}") == 2, "a link in the list, and one to the same"
    assert f"/bisect/{bisection_id}" in signed_in(name).open("/bisect")


def test_an_address_is_no_command(signed_in, run):
    page = signed_in("victor").open("/bisect", "?run=a;reboot&good=$(x)&bad=b")
    assert "reboot" not in page and "$(x)" not in page


def test_an_editor_starts_a_bisection(signed_in, repository, run):
    answer = begin(signed_in("edgar"), run[:20])
    (stored,) = Bisections(repository.catalogue).newest(5)
    assert answer.json["response"]["bisect-goto"]["href"] == f"/bisect/{stored.bisection_id}"
    assert stored.commits == COMMITS
    assert ("edgar", "bisection.start") in actions(repository)


def test_a_viewer_starts_and_skips_nothing(signed_in, repository, run, bisection_id):
    victor = signed_in("victor")
    commit = next_of(repository, bisection_id)
    for answer in (
        begin(victor, run, good=COMMITS[1]),
        press(victor, repository, bisection_id, commit),
    ):
        assert "toast" in answer.json["sideUpdate"], "the refusal is shown"
        assert "response" not in answer.json or not answer.json["response"]
    assert len(Bisections(repository.catalogue).newest(5)) == 1
    assert next_of(repository, bisection_id) == commit


@pytest.mark.parametrize(
    "given",
    [{"run": ""}, {"run": "nothing"}, {"commits": ""}, {"bad": "unknown"}, {"commits": "a\x01"}],
)
def test_a_form_that_is_wrong_is_a_sentence(signed_in, repository, run, given):
    answer = begin(signed_in("edgar"), **{"run": run} | given)
    assert answer.json["response"]["bisect-error"]["children"].endswith(".")
    assert Bisections(repository.catalogue).newest(5) == []


def test_an_editor_skips_a_commit_and_takes_it_back(signed_in, repository, bisection_id):
    edgar = signed_in("edgar")
    commit = next_of(repository, bisection_id)
    answer = press(edgar, repository, bisection_id, commit)
    assert "bisection-return" in answer.text
    assert next_of(repository, bisection_id) != commit
    press(edgar, repository, bisection_id, commit, "return")
    assert next_of(repository, bisection_id) == commit
    assert actions(repository).count(("edgar", "bisection.skip")) == 2
    unknown = press(edgar, repository, bisection_id, "unknown")
    assert unknown.json["response"]["bisection-error"]["children"].endswith(".")


def test_the_page_is_sent_again_only_if_a_run_changed(signed_in, repository, bisection_id):
    victor = signed_in("victor")
    first = poll(victor, [bisection_id, "light", "another version"]).json["response"]
    shown = first["bisection-shown"]["data"]
    assert "bisection-body" not in poll(victor, shown).json["response"]
    add_run(repository, next_of(repository, bisection_id), 100.0)
    later = poll(victor, shown).json["response"]
    assert later["bisection-body"]["children"] != first["bisection-body"]["children"]


def test_an_unknown_bisection_is_a_sentence(signed_in):
    page = signed_in("victor").open("/bisect/nothing")
    assert "there is no bisection" in page
