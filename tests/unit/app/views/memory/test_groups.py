"""Layer groups on the page of a log: first sentence, rows, curve, and what is listed where one is selected."""

import pytest

from app.context import AppContext
from app.views.memory.groups import group_listed, log_sentence
from app.views.memory.shown import shown_attempts
from app.views.registry import RUN, parse
from ingest.files import ingest
from services.lab.groups import find_failures
from services.run.data_cache import RunDataCache
from services.run.group_failures import FailureCache
from tests.support.numbers_in_text import numbers_in
from tests.support.tpu_log import Setting, attempt, buffer, cycles, log

FITS = [buffer("a", 0), buffer("b", 64)]
LOST = [buffer("a", 0), buffer("b", None)]
BIG = [buffer("c", 0, size=200_000), buffer("d", None, size=100_000)]
TABLE = [(step, "layer", "tpu.Conv2D", f"op{step}", 100) for step in range(2)]


@pytest.fixture
def repository(settings, tmp_path):
    path = tmp_path / "lmem.log"
    again = Setting("1,2,1,1,1", conflict=1)
    path.write_text(log([*cycles(TABLE), *attempt(LOST)], attempt(BIG), attempt(FITS, again)))
    repository = settings.repository()
    ingest(repository, [path], {})
    return repository


@pytest.fixture
def run_id(repository):
    return repository.runs()["run_id"].iloc[0]


@pytest.fixture
def kept(tmp_path):
    return FailureCache(tmp_path / "groups")


@pytest.fixture
def data(repository, run_id, kept):
    return RunDataCache(repository, kept).with_saved(run_id, "robust", {})


def rows_of(data, query=""):
    return {
        row["group"]: row
        for row in RUN.find_content_view(data, "groups").make(data, parse(query)).body.rowData
    }


def test_the_first_sentence_counts_groups_that_failed_for_good_and_leads_to_the_worst(data):
    said = log_sentence(data)
    assert numbers_in(said)[:2] == ["1", "2"]
    assert [(jump.part, jump.value) for jump in said.jumps] == [("attempt", 1)]
    assert f"{300_000 - 262_144:,}".replace(",", "\u202f") in said or "37" in said


def test_a_row_is_about_the_last_attempt_and_failed_groups_come_first(data):
    rows = rows_of(data)
    assert [row["failed"] for row in rows.values()] == [1, 0]
    lost, won = rows.values()
    assert (lost["reason"].split(":")[0], lost["last"], lost["share"] > 1) == ("too big", 1, True)
    assert (won["attempts"], won["outcome"], won["reason"], won["lab"]) == (2, "success", "", "")
    assert "1,2,1,1,1" in won["differs"]


def test_the_first_map_is_of_an_attempt_that_none_replaced(data):
    assert data.memory.number(parse("").memory) in (1, 2)


@pytest.mark.slow
def test_what_the_search_says_is_not_known_until_it_was_asked(data, repository, run_id, kept):
    assert data.memory.failures.is_pending
    before = RunDataCache(repository, kept).shown_version(run_id)
    assert all(row["lab"] in ("", "being asked") for row in rows_of(data).values())
    groups = list(data.memory.groups)
    kept.write(repository.version(run_id), dict(find_failures(data.memory.index, groups, 100)))
    cache = RunDataCache(repository, kept)
    again = cache.with_saved(run_id, "robust", {})
    assert cache.shown_version(run_id) != before
    assert not again.memory.failures.is_pending
    assert next(iter(rows_of(again).values()))["lab"].startswith("cannot")
    assert "proves that it cannot fit" in log_sentence(again)


def test_a_row_shows_the_last_attempt_and_lists_its_group_alone(data):
    state = group_listed(parse(""), data, 0, "group")
    assert state.query() == "attempt=2&group=0"
    assert shown_attempts(data, state)["attempt"].tolist() == [0, 2]
    assert "group" in RUN.selection_words(data, state)
    assert "group" not in group_listed(state, data, 0, "group").query()


def test_the_last_of_each_group_can_be_listed(data):
    assert shown_attempts(data, parse("attempts=last"))["attempt"].tolist() == [2, 1]


def test_the_curve_has_a_point_per_attempt_which_opens_its_map(data):
    view = RUN.find_plot(data, "groupcurve")
    traces = view.draw(data, parse("attempt=0"), "light").figure.data
    assert list(traces[0].customdata) == [0, 2]
    assert list(traces[0].marker.symbol) == ["x", "circle"]
    assert list(traces[1].y) == [200.0, None]
    click = {"points": [{"customdata": 0}]}
    assert view.on_click(parse("attempt=2"), data, click).memory.attempt == 0


def test_a_snapshot_has_the_groups_in_text(data):
    table = RUN.find_content_view(data, "groups").tables(data, parse(""))[0]
    assert len(table.rows) == 2


def test_the_card_of_a_failed_block_says_why_and_leads_to_the_lab(data):
    card = RUN.find_content_view(data, "block").make(data, parse("attempt=1&block=1")).body
    text = str(card.to_plotly_json())
    assert "Blocking blocks" in text
    assert f"/run/{data.run_id}/lab?attempt=1&block=1&capacity=262144" in text


def test_a_server_keeps_failures_beside_the_lab(settings):
    context = AppContext.of(settings)
    assert context.lab.searches.groups.kept.folder == settings.data / "lab" / "groups"
