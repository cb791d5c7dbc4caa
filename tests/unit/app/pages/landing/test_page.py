"""The landing page through Dash's own client: its sections beside the status, and the empty store."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from analysis.comparison.status_sections import SECTIONS, status_sections
from app.config.settings import Settings
from app.pages.landing import standings
from app.pages.landing.first_run import TUTORIALS
from app.pages.status import shown_status
from app.pages.status.state import StatusState
from components.landing.newest import NewestRun
from components.runs.list_address import list_address
from schema.sources import SOURCES
from services.status.acknowledge import acknowledge
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.dash_client import find
from tests.support.paced_trace import ingest_night, ingest_nights

AS_OF = "2026-11-06T09:00"
"""A day and seven hours after the first bad run, seven hours after the latest."""
EMPTY = dict.fromkeys(SECTIONS, 0)


@pytest.fixture
def context(signed_in):
    return signed_in("edgar").context


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """The folder of a store with a rule, and the ids of its runs."""
    folder = tmp_path_factory.mktemp("nights")
    repository = Settings(data=folder / "data").repository()
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    runs = ingest_nights(repository, folder, 4, 6)
    repository.catalogue.close()
    return folder / "data", runs


@pytest.fixture
def runs(nights, settings):
    """The runs of a key that regressed with its fifth night, oldest first, in a store of the test's own.

    A test names this fixture before the server, which opens the store.
    """
    data, ids = nights
    copytree(data, settings.data)
    return ids


@pytest.fixture
def at(monkeypatch):
    """Let the page be opened at another time; every comparison is made in the first request."""

    def set_time(as_of):
        def load(context, state, _within_s):
            return shown_status.load_status(context, replace(state, as_of=as_of), 600.0)

        monkeypatch.setattr(standings, "load_status", load)

    set_time(AS_OF)
    return set_time


def sections(page):
    """Return section -> its element, in the order of the page."""
    if isinstance(page, dict):
        props = page.get("props", {})
        if "data-section" in props:
            return {props["data-section"]: props}
        return sections(list(props.values()))
    found = {}
    for part in page if isinstance(page, list) else ():
        found |= sections(part)
    return found


def opened(client, query=""):
    return sections(json.loads(client.open("/", query)))


def counts(client, query=""):
    return {
        name: int(props["data-count"])
        for name, props in opened(client, query).items()
        if name in SECTIONS
    }


@pytest.mark.slow
def test_the_sections_count_the_rows_of_the_status(runs, signed_in, context, at):
    shown = opened(signed_in("victor"))
    status = shown_status.load_status(context, StatusState(as_of=AS_OF), 600.0)
    truth = {name: len(rows) for name, rows in status_sections(status).items()}
    assert truth == EMPTY | {"new": 1, "open": 1}
    assert counts(signed_in("victor")) == truth
    assert [*shown] == [*SECTIONS, "newest"]
    for name in ("new", "open", "newest"):
        assert f"/run/{runs[-1]}" in json.dumps(shown[name])
    assert f"base={runs[3]}&new={runs[4]}" in json.dumps(shown["new"])


@pytest.mark.slow
def test_a_regression_is_new_for_seven_days_from_its_first_bad_run(runs, signed_in, at):
    at("2026-11-12T01:59")
    assert counts(signed_in("victor")) == EMPTY | {"new": 1, "open": 1}
    at("2026-11-12T02:01")
    assert counts(signed_in("victor")) == EMPTY | {"open": 1}


@pytest.mark.slow
def test_an_acknowledged_regression_is_neither_new_nor_open(runs, signed_in, context, at):
    acknowledge(
        context.status, runs[-1], rule="nightly", note="known", user="edgar", within_s=600.0
    )
    assert counts(signed_in("victor")) == EMPTY | {"acknowledged": 1}
    assert "edgar: known" in json.dumps(opened(signed_in("victor"))["acknowledged"])


@pytest.mark.slow
def test_a_key_that_is_good_again_has_recovered(runs, signed_in, context, at, tmp_path):
    back = ingest_night(context.repository, tmp_path, 7)
    at("2026-11-08T09:00")
    assert counts(signed_in("victor")) == EMPTY | {"recovered": 1}
    assert f"/run/{back}" in json.dumps(opened(signed_in("victor"))["recovered"])
    at("2026-11-14T02:01")
    assert counts(signed_in("victor")) == EMPTY


@pytest.mark.slow
def test_a_rule_is_chosen_by_a_link(runs, signed_in, context, at):
    assert "landing-rules" not in signed_in("victor").open("/")
    set_rule(context.repository, Rule("a-narrow", 3, hwid="npu9"), "tests")
    assert '"/?rule=a-narrow"' in signed_in("victor").open("/")
    assert counts(signed_in("victor"))["open"] == 1
    assert counts(signed_in("victor"), "?rule=a-narrow") == EMPTY


def test_an_unknown_rule_is_a_sentence(runs, signed_in):
    page = signed_in("victor").open("/", "?rule=none")
    assert "ts-trouble" in page
    assert [*sections(json.loads(page))] == ["newest"]


@pytest.mark.slow
def test_without_a_rule_the_page_leads_to_one_and_counts_nothing(signed_in, context, tmp_path):
    run = ingest_night(context.repository, tmp_path, 1)
    page = signed_in("victor").open("/")
    assert '"/status"' in page
    shown = sections(json.loads(page))
    assert [*shown] == ["newest"]
    assert f"/run/{run}" in json.dumps(shown["newest"])


@pytest.mark.slow
def test_the_newest_run_is_that_of_the_last_capture(runs, signed_in, context, at, tmp_path):
    earlier = ingest_night(context.repository, tmp_path, 2, "npu7")
    newest = json.dumps(opened(signed_in("victor"))["newest"])
    assert f"/run/{runs[-1]}" in newest
    assert f"/run/{earlier}" not in newest
    assert list_address({"source": "aie"}) in newest
    assert "7 runs" in newest
    assert NewestRun.__name__ not in newest


def test_only_admins_read_that_backups_are_off(runs, signed_in, at):
    warned = {
        name: "#admin-backups" in signed_in(name).open("/") for name in ("victor", "edgar", "ada")
    }
    assert warned == {"victor": False, "edgar": False, "ada": True}


@pytest.mark.slow
def test_while_comparisons_are_missing_the_page_asks_for_more(runs, signed_in, monkeypatch):
    monkeypatch.setattr(standings, "SHOWN_WITHIN_S", 0.0)
    client = signed_in("victor")
    page = json.loads(client.open("/"))
    missing, turn = find(page, "landing-left")["data"]
    assert missing > 0
    assert str(missing) in json.dumps(find(page, "landing-answer"))
    values = {"landing-more.data": [missing, turn], "landing-left.data": [missing, turn]}
    shown = client.callback("landing-body.children", **values)
    assert shown["landing-left"]["data"] == [0, turn + 1]


def test_the_tutorials_are_those_of_the_documentation():
    folder = Path(__file__).parents[5] / "docs" / "tutorials"
    titles = {page.stem: page.read_text("utf-8").splitlines()[0] for page in folder.glob("*.md")}
    assert {name: f"# {title}" for name, title in TUTORIALS} == titles


def test_an_empty_store_names_every_source_and_leads_to_the_tutorials(signed_in):
    page = signed_in("victor").open("/")
    assert not [source.title for source in SOURCES if f'"{source.title}"' not in page]
    assert all(f"/docs/tutorials/{name}.html" in page for name, _ in TUTORIALS)
    assert sections(json.loads(page)) == {}
